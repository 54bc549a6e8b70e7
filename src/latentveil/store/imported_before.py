"""Whether features are in a store already: the same clips of the same videos, number for number."""

from __future__ import annotations

from dataclasses import fields

import numpy as np

from latentveil.errors import InputError
from latentveil.store.read import FeatureStore
from latentveil.store.sources import MemoryFeatures
from latentveil.types import FeatureSet


def require_same_clips(store: FeatureStore, given: FeatureSet) -> None:
    """Refuse whole videos that ``store`` holds with other clips than ``given``."""
    given = MemoryFeatures(given).read()
    there = store.read(videos=given.videos)
    if _equal(given, there):
        return
    parts = ((name, given.of_videos([name]), there.of_videos([name])) for name in given.videos)
    changed = next(name for name, one, other in parts if not _equal(one, other))
    raise InputError(
        f"video must be new to the store {store.path}, or come with the same clips, got {changed!r}, which is in it "
        "already with others. Import into another folder."
    )


def _equal(one: FeatureSet, other: FeatureSet) -> bool:
    """Whether two feature sets in the order of stores are equal in every column; unknown times are."""
    columns = ((getattr(one, column.name), getattr(other, column.name)) for column in fields(FeatureSet))
    return all(np.array_equal(a, b, equal_nan=a.dtype.kind == "f") for a, b in columns)
