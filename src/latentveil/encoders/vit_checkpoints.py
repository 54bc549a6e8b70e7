"""Checkpoints of video transformers as their authors publish them: found by their names, read strictly."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file
from torch import Tensor

from latentveil.encoders.vit import TransformerShape, VideoTransformer
from latentveil.errors import InputError

# Where the weights are in a checkpoint's file, tried in this order; none of them: the file is the weights.
PLACES = ("target_encoder", "classifier", "module", "model", "state_dict")
PREFIXES = ("module.", "backbone.")
# Layers behind the feature.
LEFT_OUT = ("head.", "linear.")

Weights = dict[str, Tensor]


def read_videomae_checkpoint(
    path: str | Path, *, heads: int, frames: int = 16, size: int = 224
) -> VideoTransformer:
    """VideoMAE, VideoMAE v2 or InternVideo's ViT from its authors' checkpoint: the mean of the tokens, normed.

    How wide and deep it is, is read from the weights; they do not say the number of ``heads``, nor the ``frames`` and
    the ``size`` that it was tuned for.
    """
    weights = join_biases(read_weights(path))
    shape = shape_of(weights, path, heads=heads, frames=frames, size=size, pooling="mean")
    return _load(VideoTransformer(shape), weights, path)


def read_vjepa_checkpoint(
    path: str | Path, probe: str | Path, *, heads: int, frames: int = 16, size: int = 224
) -> VideoTransformer:
    """V-JEPA from its authors' checkpoint, with the attentive ``probe`` of another file, without its linear layer."""
    weights = read_weights(path)
    shape = shape_of(weights, path, heads=heads, frames=frames, size=size, pooling="attention")
    return _load(VideoTransformer(shape), weights | read_weights(probe), path)


def read_weights(path: str | Path) -> Weights:
    """The weights of a file (.safetensors, or torch's own) without prefixes and without the last layer."""
    path = Path(path)
    if not path.is_file():
        raise InputError(f"checkpoint must be a file, got {path}. Download it from its authors first.")
    found: Any = load_file(path) if path.suffix == ".safetensors" else _read_torch_file(path)
    for place in PLACES:
        if isinstance(found, Mapping) and isinstance(found.get(place), Mapping):
            found = found[place]
            break
    weights = {_without_prefix(name): value for name, value in found.items() if isinstance(value, Tensor)}
    return {name: value.float() for name, value in weights.items() if not name.startswith(LEFT_OUT)}


def shape_of(
    weights: Weights, path: str | Path, *, heads: int, frames: int, size: int, pooling: str
) -> TransformerShape:
    """The shape of the network that has these weights."""
    try:
        dim, _, tubelet, patch, _ = weights["patch_embed.proj.weight"].shape
        mlp = len(weights["blocks.0.mlp.fc1.weight"])
    except KeyError as error:
        raise InputError(
            f"checkpoint must be of a video transformer, got {path} without {error.args[0]}. Check the file."
        ) from error
    depth = 1 + max(int(name.split(".")[1]) for name in weights if name.startswith("blocks."))
    if dim % heads or size % patch or frames % tubelet:
        raise InputError(
            f"heads, size and frames must divide {dim} numbers, patches of {patch} and tubelets of {tubelet}, got "
            f"{heads}, {size} and {frames}. Take those of the checkpoint."
        )
    return TransformerShape(dim, depth, heads, mlp, patch, tubelet, frames, size, pooling)


def join_biases(weights: Weights) -> Weights:
    """VideoMAE keeps biases of queries and values, and none of keys; here all three are in one."""
    joined = {name: value for name, value in weights.items() if not name.endswith((".q_bias", ".v_bias"))}
    for name, query in weights.items():
        if name.endswith(".q_bias"):
            stem = name.removesuffix("q_bias")
            value = weights[f"{stem}v_bias"]
            joined[f"{stem}qkv.bias"] = torch.cat([query, torch.zeros_like(query), value])
    return joined


def _read_torch_file(path: Path) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except Exception as error:  # torch has many words for a file that it cannot read
        raise InputError(f"checkpoint must be a file of weights, got {path}: {error}.") from error


def _without_prefix(name: str) -> str:
    for prefix in PREFIXES:
        name = name.removeprefix(prefix)
    return name


def _load(network: VideoTransformer, weights: Weights, path: str | Path) -> VideoTransformer:
    """The network with the weights; positions that the checkpoint does not hold are computed."""
    computed = {} if "pos_embed" in weights else {"pos_embed": network.pos_embed}
    try:
        found = network.load_state_dict(weights | computed, strict=False)
    except RuntimeError as error:  # weights of another shape
        raise InputError(f"checkpoint must fit the network of its shape, got {path}: {error}.") from error
    for names, problem in ((found.missing_keys, "without"), (found.unexpected_keys, "with the unknown")):
        if names:
            raise InputError(
                f"checkpoint must fit the network of its shape, got {path} {problem} {names[0]} and {len(names) - 1} "
                "more. Check that it is of this model."
            )
    return network.eval()
