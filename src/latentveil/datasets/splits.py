"""Splits for data sets that come without: drawn by a seed, with the same shares of every class in each part."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

SHARES = {"train": 0.6, "val": 0.2, "test": 0.2}


def draw_splits(strata: Sequence[np.ndarray], *, seed: int, shares: dict[str, float] = SHARES) -> np.ndarray:
    """The split (V,) of each video; ``strata`` are masks (V,), drawn one after the other; each video is in one."""
    random = np.random.default_rng(seed)
    split = np.empty(len(strata[0]), dtype="<U5")
    for stratum in strata:
        members = random.permutation(np.flatnonzero(stratum))
        borders = np.round(np.cumsum(list(shares.values())) * len(members)).astype(int)
        for name, part in zip(shares, np.split(members, borders[:-1])):
            split[part] = name
    return split
