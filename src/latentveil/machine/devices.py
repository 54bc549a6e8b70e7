"""Where networks run."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

from latentveil.errors import InputError

Network = TypeVar("Network", bound=nn.Module)


def to_device(network: Network, device: str) -> Network:
    """The network on ``device``, or an error that names a device which torch does not have."""
    try:
        return network.to(device)
    except (RuntimeError, AssertionError) as error:  # torch raises either
        raise _unusable(device, error) from error


def require_device(device: str) -> None:
    """Refuse a device that torch does not have."""
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # torch raises either
        raise _unusable(device, error) from error


def _unusable(device: str, error: Exception) -> InputError:
    reason = str(error).splitlines()[0]
    return InputError(f"device must be one that torch can use, got {device!r} ({reason}).")
