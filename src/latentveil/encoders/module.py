"""Bring your own network by import path: "module:package.module:factory"."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn

from latentveil.encoders.base import CLIP_FRAMES, Encoder, hash_weights
from latentveil.encoders.hub import IMAGENET_MEAN, IMAGENET_STD
from latentveil.encoders.plugin import EncoderPlugin
from latentveil.errors import InputError, UsageError
from latentveil.foreign_code import import_named, remember
from latentveil.types import EncoderInfo

FRAME_SIZE = 224


def load(*, size: int | None, weights: str | None) -> Encoder:
    """The network that the factory ``weights`` ("package.module:factory") returns when called without arguments."""
    path = weights or ""
    return load_network(_find_factory(path), path, name=f"module:{path}", size=size)


encoder = EncoderPlugin(
    name="module",
    about="A network of your own, as module:package.module:factory.",
    load=load,
)


def as_plugin(found: Any, said: str) -> EncoderPlugin | None:
    """A bare factory as a plug-in, known by the entry point or the import path ``said``; None for anything else."""
    # An object that was handed over has no path by which a store could name it, and a network is no factory.
    if not callable(found) or isinstance(found, nn.Module) or said == repr(found):
        return None
    name = f"module:{said}" if ":" in said else said

    def load_found(*, size: int | None, weights: str | None) -> Encoder:
        if weights is not None:
            raise UsageError(
                f"weights must be absent for encoder {said}, got {weights!r}. Its factory takes none."
            )
        return load_network(found, said, name=name, size=size)

    return EncoderPlugin(name=said, about=f"A network made by {said}.", load=load_found)


def load_network(factory: Callable[[], object], path: str, *, name: str, size: int | None) -> Encoder:
    """The network that ``factory`` returns, as the encoder ``name``; ``path`` is what errors call it.

    It takes normalised frames (B, 3, T, H, W) and gives (B, D) or (B, tokens, D), which is averaged over the tokens.
    Its attributes ``clip_frames``, ``frame_size``, ``mean`` and ``std`` are read where present (16, 224 and ImageNet's
    otherwise), ``dim`` is checked; a ``size`` given here overrides ``frame_size``.
    """
    network = factory()
    if not isinstance(network, nn.Module):
        raise InputError(f"factory {path} must return a torch.nn.Module, got {type(network).__name__}.")
    network = network.float().eval()
    clip_frames = int(getattr(network, "clip_frames", CLIP_FRAMES))
    frame_size = int(size if size is not None else getattr(network, "frame_size", FRAME_SIZE))
    pooled = TokenMean(network)
    dim = _measure_dim(pooled, path, shape=(1, 3, clip_frames, frame_size, frame_size))
    if getattr(network, "dim", dim) != dim:
        raise InputError(
            f"dim of {path} must be what the network gives, got {network.dim} and a feature of {dim}."
        )
    info = EncoderInfo(
        name=name,
        weights_sha256=hash_weights(network.state_dict()),
        dim=dim,
        clip_frames=clip_frames,
        frame_size=frame_size,
        mean=_three(network, "mean", IMAGENET_MEAN),
        std=_three(network, "std", IMAGENET_STD),
        pooling="the network's own, or the mean of its tokens",
    )
    return Encoder(pooled, info)


class TokenMean(nn.Module):
    """A network's output (B, D) as it is, or (B, tokens, D) averaged over the tokens."""

    def __init__(self, network: nn.Module) -> None:
        super().__init__()
        self.network = network

    def forward(self, frames: Tensor) -> Tensor:
        """Normalised frames (B, 3, T, H, W) to features (B, D)."""
        features = self.network(frames)
        return features.mean(dim=1) if features.ndim == 3 else features


def _find_factory(path: str) -> Callable[[], object]:
    module_name, _, factory_name = path.partition(":")
    if not module_name or not factory_name:
        raise UsageError(f"encoder must be given as module:package.module:factory, got {f'module:{path}'!r}.")
    try:
        factory: Any = import_named(path)
    except ImportError as error:
        raise UsageError(
            f"encoder module:{path} must be importable, got: {error}. Check the name and PYTHONPATH."
        ) from error
    if not callable(factory):
        raise UsageError(f"{factory_name} must be a function or class in {module_name}, got {factory!r}.")
    remember("encoder", repr(f"module:{path}"), spec=path, plugin=factory)
    found: Callable[[], object] = factory
    return found


@torch.inference_mode()
def _measure_dim(network: nn.Module, path: str, *, shape: tuple[int, ...]) -> int:
    """The D that the network gives for a black clip, or an error that says what it did instead."""
    try:
        features = network(torch.zeros(shape))
    except (RuntimeError, ValueError, TypeError) as error:
        raise InputError(
            f"{path} must take frames of shape {shape}, got: {error}. Set its frame_size."
        ) from error
    if not isinstance(features, Tensor) or features.ndim != 2 or len(features) != 1:
        shown = tuple(features.shape) if isinstance(features, Tensor) else type(features).__name__
        raise InputError(f"{path} must give features (B, D) or (B, tokens, D), got {shown} for B = 1.")
    return features.shape[1]


def _three(network: nn.Module, name: str, default: tuple[float, float, float]) -> tuple[float, float, float]:
    values = tuple(float(value) for value in getattr(network, name, default))
    if len(values) != 3:
        raise InputError(f"{name} of the network must hold 3 numbers, one per colour, got {len(values)}.")
    return values
