"""Noise that nobody can draw again, for what is published."""

from __future__ import annotations

import math
import os

import numpy as np
import torch
from scipy.special import ndtri
from torch import Tensor


def fresh_noise(*shape: int) -> Tensor:
    """Standard normal numbers, float32, from the randomness of the operating system.

    torch's generator on the CPU reads 32 bits of a seed: whoever holds the adapter could try all that there are. And
    whoever knows the noise of a few videos could compute its state, and with it that of the others.
    """
    bits = np.frombuffer(os.urandom(8 * math.prod(shape)), dtype=np.uint64) >> np.uint64(12)
    normal = ndtri((bits + 0.5) * 2.0**-52)  # of numbers between 0 and 1, neither of them included
    return torch.from_numpy(normal.astype(np.float32).reshape(shape))
