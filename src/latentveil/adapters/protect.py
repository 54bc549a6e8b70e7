"""The verb `protect`: an encoder that gives safe features, with the encoder's own signature."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter, AdapterLike, as_adapter
from latentveil.encoders import Encoder
from latentveil.errors import InputError
from latentveil.types import EncoderInfo

UNKNOWN = "unknown"  # the weights behind features that came ready made
SHOWN = 12  # hexadecimal digits that people are shown


def protect(encoder: nn.Module | Callable[..., Tensor], adapter: AdapterLike) -> ProtectedEncoder:
    """``encoder`` with ``adapter`` behind it: whatever it is called with, its features come out anonymized.

    The encoder gives (B, D), where each of B items is the one clip of a video of its own, or (B, T, D), where T clips
    belong together. Noise is fresh at every call. An encoder of ours must be the one whose features the adapter was
    fitted on.
    """
    if not callable(encoder):
        raise InputError(
            f"encoder must be a module or a function that gives features, got {type(encoder).__name__}."
        )
    loaded = as_adapter(adapter)
    if loaded.config["behind"]:
        raise InputError(
            "adapter must be fitted on raw features to go behind an encoder, got one that goes behind another adapter "
            f"(sha256 {loaded.config['behind'][-1][:SHOWN]}…)."
        )
    if isinstance(encoder, Encoder):
        _require_its_encoder(loaded, encoder.info)
    return ProtectedEncoder(encoder, loaded)


def _require_its_encoder(adapter: Adapter, found: EncoderInfo) -> None:
    """Refuse an encoder whose features mean something else: behind it the adapter would hide nothing."""
    known = adapter.config["encoder"] or {}
    weights = known.get("weights_sha256", UNKNOWN)
    if found.dim != adapter.dim or weights not in (UNKNOWN, found.weights_sha256):
        raise InputError(
            f"encoder must be the one that the adapter was fitted for ({known.get('name', UNKNOWN)}, {adapter.dim} "
            f"numbers, weights {weights[:SHOWN]}), got {found.name}, {found.dim} numbers, weights "
            f"{found.weights_sha256[:SHOWN]}. Fit an adapter on features of this encoder."
        )


class ProtectedEncoder(nn.Module):
    """An encoder behind which nothing but anonymized features leave; other attributes are the encoder's own."""

    def __init__(self, encoder: nn.Module | Callable[..., Tensor], adapter: Adapter) -> None:
        super().__init__()
        self.encoder = encoder
        self.adapter = adapter.eval().requires_grad_(False)

    def forward(self, *inputs: Any, **options: Any) -> Tensor:
        """What the encoder takes, to anonymized features of the shape that it gives."""
        return self._anonymized(self.encoder(*inputs, **options))

    @torch.inference_mode()
    def encode(self, *inputs: Any, **options: Any) -> Tensor:
        """As the encoder's own ``encode``, anonymized."""
        return self._anonymized(self.encoder.encode(*inputs, **options))  # type: ignore[union-attr, operator]

    def train(self, mode: bool = True) -> ProtectedEncoder:
        """Passes the mode on to the encoder; the adapter stays as it was fitted."""
        super().train(mode)
        self.adapter.eval()
        return self

    def __getattr__(self, name: str) -> Any:
        try:
            return super().__getattr__(name)
        except AttributeError:
            encoder = self.__dict__.get("encoder") or self.__dict__["_modules"]["encoder"]
            return getattr(encoder, name)

    def _anonymized(self, features: Any) -> Tensor:
        """Features (B, D) or (B, T, D), anonymized."""
        if not isinstance(features, Tensor) or features.ndim not in (2, 3):
            found = tuple(features.shape) if isinstance(features, Tensor) else type(features).__name__
            raise InputError(
                f"features of the encoder must be a tensor (B, D) or (B, T, D), got {found}. "
                "Hand over a module that gives one vector per clip."
            )
        clips = features if features.ndim == 3 else features[:, None]  # (B, T, D)
        return self.adapter(clips).view_as(features)
