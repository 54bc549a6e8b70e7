"""What the page of an audit shows beside its numbers: a map of the features."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.labels import IDENTITY, Labels
from latentveil.report.page import FeatureMap
from latentveil.types import TEMPORAL, FeatureSet

MAP_CLIPS = 600
MAP_CLASSES = 10


def feature_map(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    *,
    secrets: Sequence[str],
    name_people: bool = False,
) -> FeatureMap:
    """The two principal components of the clips before and after, coloured by person, or else by the first secret.

    People are numbered unless they may be named: the page may go where their names must not.
    """
    people = set() if labels.person is None else set(labels.person.tolist()) - {""}
    secret = IDENTITY if len(people) > 1 else secrets[0]
    rows = np.flatnonzero(raw.kind == TEMPORAL) if (raw.kind == TEMPORAL).any() else np.arange(len(raw))
    values = labels.lookup(secret, raw.video[rows])
    names = sorted(set(values.tolist()) - {""})[:MAP_CLASSES]
    rows, values = rows[np.isin(values, names)], values[np.isin(values, names)]
    if len(rows) > MAP_CLIPS:
        chosen = np.linspace(0, len(rows) - 1, MAP_CLIPS).astype(int)
        rows, values = rows[chosen], values[chosen]
    return FeatureMap(
        secret=secret,
        classes=[names.index(value) for value in values],
        names=names if secret != IDENTITY or name_people else _numbered(names),
        before=_two_components(raw.feature[rows]),
        after=_two_components(anonymized.feature[rows]),
    )


def _numbered(names: Sequence[str]) -> list[str]:
    return [f"person {number}" for number in range(1, len(names) + 1)]


def _two_components(features: np.ndarray) -> list[list[float]]:
    """The first two principal components (N, 2) of features (N, D)."""
    centred = features - features.mean(axis=0)
    left, strength, _ = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    return np.round(left[:, :2] * strength[:2], 4).tolist()
