"""The floor of an audit: what the best of the attacks reaches where there is nothing to learn.

The headline takes the best of many attacks, and average precision over few people lies above the prevalence even for a
random order. So a perfect adapter is not graded at chance. The floor is found with the secret's values dealt anew: the
features stay as they are, each person's clips as alike as before, only whose value is whose is drawn by lot. Features
replaced by noise would not do: without people in them they look like many independent videos, and the floor too low.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latentveil.attacks.base import Attack
from latentveil.auditing.answers import attack_secret
from latentveil.auditing.splits import groups_for
from latentveil.errors import InputError
from latentveil.labels import IDENTITY, SECRET_PREFIX, Labels
from latentveil.progress import OnProgress, silent
from latentveil.results.audit import FloorLevel
from latentveil.types import FeatureSet


@dataclass(frozen=True)
class Floor:
    """How far the best attack came above chance in each repeat, with nothing to learn."""

    excess: tuple[float, ...]

    def __post_init__(self) -> None:
        if not self.excess:
            raise InputError("floor must have at least one repeat, got none.")

    @property
    def mean_excess(self) -> float:
        return float(np.mean(self.excess))

    def level(self, chance: float) -> FloorLevel:
        """The mean, the standard deviation of single repeats (None for one), and every repeat, above ``chance``."""
        return FloorLevel(
            value=chance + self.mean_excess,
            spread=float(np.std(self.excess, ddof=1)) if len(self.excess) > 1 else None,
            repeats=[chance + excess for excess in self.excess],
        )


def measure_floor(
    features: FeatureSet,
    raw: FeatureSet,
    labels: Labels,
    secret: str,
    *,
    kind: str,
    repeats: int,
    attacks: str | Sequence[str | Attack] = "all",
    seed: int = 0,
    redrawn: Sequence[FeatureSet] = (),
    on_progress: OnProgress = silent,
) -> Floor:
    """Attack ``features`` as ``answers.attack_secret`` does, ``repeats`` times, each time with other dealt values."""
    excess = []
    for repeat in range(repeats):
        dealt = deal_secret(labels, secret, random=np.random.default_rng([seed, repeat]))
        found = attack_secret(
            features,
            raw,
            dealt,
            secret,
            kind=kind,
            attacks=attacks,
            seed=seed,
            redrawn=redrawn,
            on_progress=on_progress,
        )
        excess.append(found.value(found.best_attack) - found.chance)
    return Floor(tuple(excess))


def deal_secret(labels: Labels, secret: str, *, random: np.random.Generator) -> Labels:
    """The labels with the secret's values dealt anew among those who have one, as often as before in each split.

    Where everybody keeps one value through all of their videos, whole people change places; otherwise, for identity,
    and without people, single videos do. Those change places that are in the same splits.
    """
    values = labels.column(secret).copy()
    known = np.flatnonzero(values != "")
    units = _units(labels, values, known, secret=secret)  # (K,) of the known videos
    names, first, unit_of_video = np.unique(units, return_index=True, return_inverse=True)
    in_splits = np.array(["".join(sorted(set(labels.split[known][units == name]))) for name in names])
    value_of_unit = values[known][first]
    for place in np.unique(in_splits):
        members = np.flatnonzero(in_splits == place)
        value_of_unit[members] = value_of_unit[random.permutation(members)]
    values[known] = value_of_unit[unit_of_video]
    return _with_column(labels, secret, values)


def _units(labels: Labels, values: np.ndarray, known: np.ndarray, *, secret: str) -> np.ndarray:
    """What changes places: the person, or the video, of each known video (K,)."""
    groups = groups_for(labels, secret)[known]
    if len(np.unique(groups)) == len(set(zip(groups.tolist(), values[known].tolist()))):
        return groups
    return labels.video[known]


def _with_column(labels: Labels, name: str, values: np.ndarray) -> Labels:
    if name in (IDENTITY, "person"):
        return replace(labels, person=values)
    key = name if name in labels.columns else SECRET_PREFIX + name
    return replace(labels, columns=labels.columns | {key: values})
