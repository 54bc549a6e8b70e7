"""An audit in four numbers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.results.audit import SecretLeakage, Summary, TaskResult


def summarise(readings: Sequence[SecretLeakage], tasks: dict[str, TaskResult]) -> Summary:
    """Means over readings and tasks, of those of which something can be told.

    Where floors were measured, also the mean of what is removed above them.
    """
    removed = [one.leakage_removed for one in readings if one.leakage_removed is not None]
    over_floor = [
        one.leakage_removed_over_floor for one in readings if one.leakage_removed_over_floor is not None
    ]
    kept = [task.kept for task in tasks.values() if task.kept is not None]
    above = [
        np.clip((task.anonymized.value - task.chance) / (task.raw.value - task.chance), 0, 1)
        for task in tasks.values()
        if task.raw.value > task.chance
    ]
    privacy = float(np.mean(removed)) if removed else None
    return Summary(
        leakage_removed=privacy,
        utility_kept=float(np.mean(kept)) if kept else None,
        nhv=None if privacy is None or not above else float(np.clip(privacy, 0, 1) * np.mean(above)),
        leakage_removed_over_floor=float(np.mean(over_floor)) if over_floor else None,
    )
