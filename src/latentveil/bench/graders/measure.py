"""A number that a publication reports of logits and attributes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measure:
    """``value`` takes targets (N, C) of 0 and 1 and logits (N, C)."""

    name: str
    about: str
    value: Callable[[np.ndarray, np.ndarray], float]
