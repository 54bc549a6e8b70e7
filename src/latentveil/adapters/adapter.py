"""The anonymizing adapter (AAM, f_A): one network behind the encoder, saved as a folder, never as a pickle."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from huggingface_hub import ModelCard
from torch import Tensor

from latentveil.adapters.fresh_noise import fresh_noise
from latentveil.adapters.network import NETWORKS, GroupedNetwork, Membership
from latentveil.adapters.saved import TRAINING_FOLDER, SavedNetwork, load_saved
from latentveil.adapters.weights import require_weights_of
from latentveil.errors import InputError
from latentveil.files.places import PlaceLike, RemotePath
from latentveil.report.card import privacy_card

NOISE_PER = ("clip", "video")
# Options of one network or another that every config.json had before 0.2; "network" says in words what is built.
NOT_OF_EVERY_NETWORK = {
    "layers", "heads", "attends", "window", "directions", "prototypes", "phases", "network",
}  # fmt: skip


class Adapter(SavedNetwork):
    """Clip features of videos in, anonymized features of the same shape and dtype out.

    ``architecture`` is the name of a network: "attention" (the paper's), "released" (of the public code), "mlp", the
    closed forms "affine" and "codebook", or one of another package; ``options`` are those of this network.
    ``noise_rank`` is the rank of Gaussian noise added to the output, 0 for none; its factor (D, noise_rank) is a buffer
    that the method sets. Noise is drawn ``noise_per`` clip, or once per video: then nobody can average it away over a
    video's clips. ``encoder`` and ``recipe`` record what the adapter was made for and how, and ``behind`` the checksums
    of the adapters that its features have passed, the first one first; they go into config.json.
    """

    word = "adapter"
    noise_factor: Tensor

    def __init__(
        self,
        *,
        dim: int,
        architecture: str = "attention",
        noise_rank: int = 0,
        noise_per: str = "clip",
        encoder: dict[str, Any] | None = None,
        recipe: dict[str, Any] | None = None,
        behind: Sequence[str] = (),
        **options: Any,
    ) -> None:
        super().__init__()
        if dim < 1 or noise_rank < 0:
            raise InputError(f"dim must be at least 1 and noise_rank 0, got {dim}, {noise_rank}.")
        if noise_per not in NOISE_PER:
            raise InputError(f"noise_per must be one of {', '.join(NOISE_PER)}, got {noise_per!r}.")
        for name, record in (("encoder", encoder), ("recipe", recipe)):
            if record is not None and not isinstance(record, dict):
                raise InputError(f"{name} must be a record of settings or nothing, got {record!r:.40}.")
        if isinstance(behind, str) or not all(isinstance(one, str) for one in behind):
            raise InputError(f"behind must be a list of checksums, got {behind!r:.40}.")
        network = NETWORKS.get(architecture)
        unread = NOT_OF_EVERY_NETWORK - set(network.Options.model_fields)
        chosen = network.check_options({name: options[name] for name in options if name not in unread})
        self.config: dict[str, Any] = {
            "dim": dim,
            "architecture": architecture,
            "network": network.describe(chosen) + (", adds Gaussian noise" if noise_rank else ""),
            **chosen.model_dump(mode="json"),
            "noise_rank": noise_rank,
            "noise_per": noise_per,
            "encoder": encoder,
            "recipe": recipe,
            "behind": list(behind),
        }
        self.dim = dim
        self.architecture = architecture
        self.network = network.build(dim, chosen)
        self.register_buffer("noise_factor", torch.zeros(dim, noise_rank))

    def forward(
        self,
        features: Tensor,
        mask: Tensor | None = None,
        *,
        alone: bool = False,
        noise: Tensor | None = None,
        generator: torch.Generator | None = None,
        membership: Membership | None = None,
    ) -> Tensor:
        """Anonymize ``features`` (B, T, D); ``mask`` (B, T) is True where a clip is real (default: everywhere).

        The numbers may have any precision; it is that of the adapter's weights in between. Padded clips come back as
        zeros. ``alone`` keeps videos from seeing each other, even where the network attends over the batch. ``noise``
        is what ``draw_noise`` gives; without it the noise is fresh, or drawn by ``generator``. ``membership`` is for a
        network that treats videos by their group, which also adds the noise itself.
        """
        if features.ndim != 3 or features.shape[-1] != self.dim or features.shape[1] == 0:
            raise InputError(
                f"features must be of shape (B, T, {self.dim}), T >= 1, got {tuple(features.shape)}."
            )
        if not features.is_floating_point():
            raise InputError(f"features must be floating-point numbers, got {features.dtype}.")
        given, features = features.dtype, features.to(self.noise_factor.dtype)
        if mask is None:
            mask = torch.ones(features.shape[:2], dtype=torch.bool, device=features.device)
        if noise is None and self.noise_factor.shape[1]:
            noise = self.draw_noise(*features.shape[:2], generator=generator).to(features)
        if isinstance(self.network, GroupedNetwork):
            output = self.network(features, mask, membership, noise)
        else:
            run_alone = NETWORKS.get(self.architecture).run_alone if alone else None
            output = run_alone(self.network, features, mask) if run_alone else self.network(features, mask)
            if noise is not None:
                output = output + noise @ self.noise_factor.T
        return (output * mask[..., None]).to(given)

    def extra_repr(self) -> str:
        """What ``print`` says before it lists the modules."""
        return f"{self.config['network']}; for features of {self.dim} numbers"

    @property
    def draws_noise(self) -> bool:
        """Whether the same features come out differently each time."""
        return bool(self.noise_factor.any())

    def draw_noise(self, videos: int, clips: int, *, generator: torch.Generator | None = None) -> Tensor:
        """Standard normal numbers for videos of ``clips`` clips: (videos, clips, rank), or (videos, 1, rank).

        Without a generator nobody can draw them again, whatever seed torch was given.
        """
        draws = clips if self.config["noise_per"] == "clip" else 1
        rank = self.noise_factor.shape[1]
        if generator is None:
            return fresh_noise(videos, draws, rank).to(self.noise_factor.device)
        return torch.randn(videos, draws, rank, generator=generator, device=generator.device)

    def transform(self, features: Any, *, seed: int | None = None) -> Any:
        """The anonymized features of a feature set or of arrays, in the form they came in; as `latentveil.apply`."""
        from latentveil.adapters.apply import apply  # imports this module

        return apply(self, features, seed=seed)

    @classmethod
    def require_weights(cls, settings: dict[str, Any], weights: str, *, said: str) -> None:
        require_weights_of(settings, weights, said=said)

    def generate_model_card(self, *_: Any, **__: Any) -> ModelCard:
        """The privacy card, which says that nothing was audited yet."""
        return ModelCard(privacy_card(self.config, audit=None), ignore_metadata_errors=True)


def read_training_log(folder: str | Path) -> list[dict[str, float]]:
    """The loss terms of each epoch of the adapter in ``folder``; empty where none was trained there."""
    log = Path(folder) / TRAINING_FOLDER / "log.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []


AdapterLike = Adapter | str | Path | RemotePath


def as_adapter(given: AdapterLike) -> Adapter:
    """The adapter itself, or the one in a folder or of that name on the hub."""
    return given if isinstance(given, Adapter) else load_adapter(given)


def load_adapter(path: PlaceLike) -> Adapter:
    """The adapter in the folder or at the URL ``path``, or called so ("owner/name") on the hub, in evaluation mode."""
    return load_saved(Adapter, path)
