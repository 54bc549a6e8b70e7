"""Answers in blocks of rows: the pairs of all asked rows with all known ones would not fit into memory."""

from __future__ import annotations

import numpy as np

from latentveil.attacks.selection import Logits

BLOCK_PAIRS = 4_000_000


def in_blocks(logits: Logits, *, num_known: int) -> Logits:
    """The same logits (M, C) of features (M, D), computed in blocks of at most BLOCK_PAIRS pairs with known rows."""
    size = rows_in_block(num_known)

    def answer(feature: np.ndarray) -> np.ndarray:
        starts = range(0, max(1, len(feature)), size)
        return np.concatenate([logits(feature[start : start + size]) for start in starts])

    return answer


def rows_in_block(num_known: int) -> int:
    """How many rows make at most BLOCK_PAIRS pairs with ``num_known`` known ones; at least one."""
    return max(1, BLOCK_PAIRS // num_known)
