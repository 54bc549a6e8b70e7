"""Labels of several sets as one table, for recipes that learn from one set and grade on another."""

from __future__ import annotations

import numpy as np

from latentveil.labels import Labels

SET = "set"  # the column that says which of several sets in one store a video belongs to


def merge_labels(parts: dict[str, Labels]) -> Labels:
    """One table for several sets of videos, which the column `set` tells apart.

    A column that a set does not have is blank there. Each set has people of its own; of pictures without people, each
    shows another one.
    """
    names = list(dict.fromkeys(name for part in parts.values() for name in part.columns))
    blank = {task: np.full(len(part.video), "") for task, part in parts.items()}
    columns = {SET: np.concatenate([np.full(len(part.video), task) for task, part in parts.items()])}
    for name in names:
        columns[name] = np.concatenate([part.columns.get(name, blank[task]) for task, part in parts.items()])
    return Labels(
        video=np.concatenate([part.video for part in parts.values()]),
        split=np.concatenate([part.split for part in parts.values()]),
        person=np.concatenate([np.char.add(f"{task}-", part.groups) for task, part in parts.items()]),
        columns=columns,
        recording=_recordings(parts),
    )


def _recordings(parts: dict[str, Labels]) -> np.ndarray | None:
    """The recordings of all sets, blank where a set has none; None where no set has any."""
    if all(part.recording is None for part in parts.values()):
        return None
    return np.concatenate(
        [
            np.full(len(part.video), "") if part.recording is None else part.recording
            for part in parts.values()
        ]
    )
