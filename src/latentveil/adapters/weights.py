"""Whether a file of weights is of the size that a config.json announces, told before either takes memory."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from safetensors import SafetensorError, safe_open

from latentveil.errors import InputError


def require_weights_of(config: Mapping[str, Any], weights: str, *, said: str) -> None:
    """Refuse settings with another ``dim`` or ``noise_rank`` than the weights; only the file's header is read."""
    try:
        with safe_open(weights, framework="pt") as file:
            found = file.get_slice("noise_factor").get_shape()
    except (SafetensorError, OSError) as error:
        raise InputError(f"{said} must hold the weights of an adapter, got: {error}") from error
    announced = [config.get("dim"), config.get("noise_rank", 0)]
    if "dim" in config and found != announced:
        raise InputError(
            f"{said} must hold the weights of its config.json, got dim and noise_rank {found}, not {announced}."
        )
