"""Where networks run."""

from __future__ import annotations

from typing import TypeVar

from torch import nn

from latentveil.errors import InputError

Network = TypeVar("Network", bound=nn.Module)


def to_device(network: Network, device: str) -> Network:
    """The network on ``device``, or an error that names a device which torch does not have."""
    try:
        return network.to(device)
    except (RuntimeError, AssertionError) as error:  # torch raises either
        reason = str(error).splitlines()[0]
        raise InputError(f"device must be one that torch can use, got {device!r} ({reason}).") from error
