"""Where networks run."""

from __future__ import annotations

from typing import TypeVar

import torch
from torch import nn

from latentveil.errors import InputError, UsageError

Network = TypeVar("Network", bound=nn.Module)


def require_device_name(device: str) -> None:
    """Refuse a word that is no device of torch on any machine."""
    try:
        torch.device(device)
    except RuntimeError as error:
        raise UsageError(f"device must be cpu, cuda, cuda:1, mps or the like, got {device!r}.") from error


def to_device(network: Network, device: str) -> Network:
    """The network on ``device``, or an error that names a device which torch does not have."""
    require_device_name(device)
    try:
        return network.to(device)
    except (RuntimeError, AssertionError) as error:  # torch raises either
        raise _unusable(device, error) from error


def require_device(device: str) -> None:
    """Refuse a device that torch does not have."""
    require_device_name(device)
    try:
        torch.empty(0, device=device)
    except (RuntimeError, AssertionError) as error:  # torch raises either
        raise _unusable(device, error) from error


def _unusable(device: str, error: Exception) -> InputError:
    reason = str(error).splitlines()[0]
    return InputError(f"device must be one that torch can use, got {device!r} ({reason}).")
