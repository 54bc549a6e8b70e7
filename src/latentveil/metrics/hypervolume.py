"""One number for a trade-off curve: the area that its points dominate."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError


@dataclass(frozen=True)
class Normalisers:
    """What maps a point to [0, 1]²: raw and chance level of the task and of the attack; print them beside the area."""

    task_raw: float
    task_chance: float
    attack_raw: float
    attack_chance: float

    def __post_init__(self) -> None:
        for name, raw, chance in (
            ("task", self.task_raw, self.task_chance),
            ("attack", self.attack_raw, self.attack_chance),
        ):
            if not raw > chance:
                raise InputError(f"{name}_raw must be above {name}_chance ({chance}), got {raw}.")

    def point(self, task: float, attack: float) -> tuple[float, float]:
        """(utility, privacy) of one setting: 1 is the raw task score, 1 is an attack at chance; clipped to [0, 1]."""
        utility = (task - self.task_chance) / (self.task_raw - self.task_chance)
        privacy = (self.attack_raw - attack) / (self.attack_raw - self.attack_chance)
        return float(np.clip(utility, 0, 1)), float(np.clip(privacy, 0, 1))


def hypervolume(points: np.ndarray) -> float:
    """The exact area of the union of the rectangles from (0, 0) to each of ``points`` (N, 2) in [0, 1]²."""
    points = np.asarray(points, dtype=np.float64).reshape(-1, 2)  # (N, 2)
    if not ((points >= 0) & (points <= 1)).all():
        raise InputError(
            f"points must lie in [0, 1], got {points.tolist()}. Map them with Normalisers.point."
        )
    area, height = 0.0, 0.0
    # From the right to the left, each point adds the strip by which it stands above all points to its right.
    for utility, privacy in points[np.lexsort((-points[:, 1], -points[:, 0]))]:
        area += utility * max(privacy - height, 0.0)
        height = max(height, privacy)
    return float(area)
