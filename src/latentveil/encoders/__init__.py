"""Frozen video models, clip to feature: a file of this folder that defines `load` is an encoder of that name."""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from latentveil.devices import to_device
from latentveil.encoders.base import Encoder
from latentveil.errors import InputError

__all__ = ["Encoder", "encoder_names", "load_encoder"]

BACKENDS = ("torch", "onnx")


def encoder_names() -> list[str]:
    """The encoders there are, sorted."""
    modules = sorted(module.name for module in iter_modules(__path__))
    return [name for name in modules if hasattr(import_module(f"{__name__}.{name}"), "load")]


def load_encoder(
    name: str,
    *,
    size: int | None = None,
    backend: str = "torch",
    device: str = "cpu",
    weights: str | None = None,
) -> Encoder:
    """The encoder ``name`` ("i3d") or ``name:weights`` ("videomae:FOLDER", "module:package.module:factory").

    ``size`` is the side of the frames in pixels, the encoder's own where None; ``weights`` a local folder or hub id.
    """
    plugin, _, spec_weights = name.partition(":")
    if spec_weights and weights:
        raise InputError(
            f"weights must be given once, got {spec_weights!r} and {weights!r}. Drop one of them."
        )
    if plugin not in encoder_names():
        raise InputError(f"encoder must be one of {', '.join(encoder_names())}, got {name!r}.")
    if backend not in BACKENDS:
        raise InputError(f"backend must be one of {', '.join(BACKENDS)}, got {backend!r}.")
    if backend == "onnx" and device != "cpu":
        raise InputError(f"device must be cpu for backend onnx, got {device!r}. Use backend torch there.")
    module = import_module(f"{__name__}.{plugin}")
    encoder: Encoder = module.load(size=size, weights=spec_weights or weights)
    if backend == "onnx":
        from latentveil.encoders.onnx_backend import run_by_onnx

        encoder = run_by_onnx(encoder)
    return to_device(encoder, device)
