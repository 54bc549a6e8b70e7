"""Frozen video models, clip to feature. One file here that assigns `encoder` is an encoder of the file's name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from latentveil.encoders.backends import BACKENDS, Backend
from latentveil.encoders.plugin import EncoderPlugin
from latentveil.errors import UsageError
from latentveil.plugins import Kind

if TYPE_CHECKING:
    from latentveil.encoders.base import Encoder

__all__ = ["BACKENDS", "ENCODERS", "Backend", "Encoder", "EncoderPlugin", "load_encoder"]


def _wrapped(found: Any, said: str) -> EncoderPlugin | None:
    from latentveil.encoders.module import as_plugin

    return as_plugin(found, said)


ENCODERS = Kind("encoder", "latentveil.encoders", EncoderPlugin, wrap=_wrapped)


def load_encoder(
    name: str | EncoderPlugin,
    *,
    size: int | None = None,
    backend: str | Backend = "torch",
    device: str = "cpu",
    weights: str | None = None,
) -> Encoder:
    """The encoder ``name`` ("i3d"), ``name:weights`` ("videomae:FOLDER") or ``package.module:object``.

    The object is an ``EncoderPlugin``, or a function or class that makes a network when called without arguments, as
    in "module:package.module:factory". ``size`` is the side of the frames in pixels, the encoder's own where None;
    ``weights`` a local folder or hub id.
    """
    from latentveil.machine.devices import to_device

    plugin, chosen_weights, runner = check_encoder(name, backend=backend, device=device, weights=weights)
    return to_device(runner.run(plugin.load(size=size, weights=chosen_weights)), device)


def check_encoder(
    name: str | EncoderPlugin, *, backend: str | Backend, device: str, weights: str | None
) -> tuple[EncoderPlugin, str | None, Backend]:
    """What these words name, encoder, weights and backend, with nothing loaded; words that name nothing are refused."""
    from latentveil.machine.devices import require_device_name

    plugin, spec_weights = find_encoder(name)
    if spec_weights and weights:
        raise UsageError(
            f"weights must be given once, got {spec_weights!r} and {weights!r}. Drop one of them."
        )
    runner = BACKENDS.get(backend)
    require_device_name(device)
    if runner.devices and device not in runner.devices:
        raise UsageError(
            f"device must be {' or '.join(runner.devices)} for backend {runner.name}, got {device!r}. "
            "Use backend torch there."
        )
    return plugin, spec_weights or weights, runner


def find_encoder(name: str | EncoderPlugin) -> tuple[EncoderPlugin, str]:
    """The plug-in, and the weights that ``name:weights`` or ``package.module:object:weights`` asks for, "" for none."""
    if not isinstance(name, str) or ":" not in name:
        return ENCODERS.get(name), ""
    first, rest = name.split(":", maxsplit=1)
    if first in ENCODERS.names():
        return ENCODERS.get(first), rest
    attribute, _, weights = rest.partition(":")
    return ENCODERS.get(f"{first}:{attribute}"), weights


def __getattr__(name: str) -> Any:
    """Import the class Encoder when it is first asked for, and torch with it."""
    if name != "Encoder":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from latentveil.encoders.base import Encoder

    return Encoder


def __dir__() -> list[str]:
    return [*globals(), *__all__]
