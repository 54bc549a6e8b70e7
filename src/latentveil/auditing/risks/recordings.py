"""What all videos of a recording share is taken away, so that videos of different places and days can be compared."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from latentveil.auditing.risks.pairs import UNKNOWN

# Rows (N, K) -> rows (N, K), learned from those rows that a mask (N,) holds, or from all.
ChangeByHeld = Callable[[np.ndarray, np.ndarray | None], np.ndarray]


def shared_recordings(recording: np.ndarray | None, person: np.ndarray) -> np.ndarray | None:
    """The recordings (V,), blank where one shows a single ``person`` (V,).

    Less its mean, such a recording's videos sum to nothing: they would be linked whatever they show.
    """
    if recording is None:
        return None
    names, number = np.unique(recording, return_inverse=True)
    people = [len(np.unique(person[number == one])) for one in range(len(names))]
    return np.where(np.array(people)[number] > 1, recording, UNKNOWN)


def each_changed(
    feature: np.ndarray, recording: np.ndarray, change: ChangeByHeld, *, held: np.ndarray | None = None
) -> np.ndarray:
    """Rows (N, K), those of each ``recording`` (N,) changed by themselves; zeros where none of its rows is ``held``.

    Rows of no recording are changed as all rows together are.
    """
    changed = np.empty_like(feature)
    blank = recording == UNKNOWN
    if blank.any():
        changed[blank] = change(feature, held)[blank]
    for one in np.unique(recording[~blank]):
        rows = recording == one
        has_some = held is None or held[rows].any()
        changed[rows] = change(feature[rows], None if held is None else held[rows]) if has_some else 0.0
    return changed
