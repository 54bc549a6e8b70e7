"""Splits for data sets that come without: drawn by a seed, with the same shares of every class in each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from latentveil.labels import Labels

MANY_GROUPS = 20  # with fewer people or recordings to learn from, single videos are held out
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


def hold_out(labels: Labels, *, share: float, seed: int = 0) -> Labels:
    """The labels with about ``share`` of the training videos as validation videos, of every action where that can be.

    Whole people are held out where there are many, else whole recordings where there are many, else single videos.
    """
    rows = np.flatnonzero(labels.split == "train")
    names, group = np.unique(_pieces(labels, rows), return_inverse=True)
    actions, action = np.unique(labels.column("action")[rows], return_inverse=True)
    pairs = np.unique(np.stack([group, action], axis=1), axis=0)  # (P, 2): which piece shows which action
    strata = [np.ones(len(names), dtype=bool)]
    if len(pairs) == len(names):  # each shows one: as much of every action is held out
        strata = [pairs[:, 1] == number for number in range(len(actions))]
    drawn = draw_splits(strata, seed=seed, shares={"val": share, "train": 1 - share})
    split = labels.split.copy()
    split[rows] = drawn[group]
    return replace(labels, split=split)


def _pieces(labels: Labels, rows: np.ndarray) -> np.ndarray:
    """What is held out as a whole (N,), for each of the training videos ``rows``."""
    for known in (labels.person, labels.recording):
        if known is not None:
            named = np.where(known == "", np.char.add("video ", labels.video), known)[rows]
            if len(np.unique(named)) >= MANY_GROUPS:
                return named
    return labels.video[rows]
