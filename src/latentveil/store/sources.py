"""What verbs take for features: the path of a store, an opened store, a feature set, or plain arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from latentveil.checksums import short_checksum
from latentveil.errors import InputError
from latentveil.files.places import PlaceLike
from latentveil.store.manifest import MANIFEST_NAME, Derivation
from latentveil.store.read import FeatureStore
from latentveil.types import ClipTiming, EncoderInfo, FeatureSet

IN_MEMORY = "the features in memory"


class MemoryFeatures:
    """Features in memory behind the same words as a store: ``videos``, ``read``, ``timing``, ``encoder``.

    It remembers whether they came as a feature set, as {video: (T, D)} or as rows: ``in_form`` gives others back so.
    """

    name = IN_MEMORY
    encoder: EncoderInfo | None = None
    derived_from: Derivation | None = None
    timing = ClipTiming()

    def __init__(self, given: FeatureSet | Mapping[str, Any] | Any) -> None:
        self._given = given
        self.features = given if isinstance(given, FeatureSet) else FeatureSet.from_arrays(given)

    def __len__(self) -> int:
        return len(self.features)

    @property
    def dim(self) -> int:
        """The dimension D of the features."""
        return self.features.dim

    @property
    def videos(self) -> list[str]:
        """The names of the videos, sorted."""
        return self.features.videos

    def read(self, kind: str | None = None, videos: Iterable[str] | None = None) -> FeatureSet:
        """The clips of one kind (or both) of the given videos (or all), sorted by video, kind, view and time."""
        found = self.features if kind is None else self.features.of_kind(kind)
        found = found if videos is None else found.of_videos(list(videos))
        order = [rows for _, _, _, rows in found.sequences()]
        return found.select(np.concatenate(order)) if order else found

    def in_form(self, feature: np.ndarray) -> FeatureSet | dict[str, np.ndarray] | np.ndarray:
        """Features (N, D) of the same clips in the same order, in the form that was handed over."""
        if isinstance(self._given, FeatureSet):
            return self.features.with_feature(feature)
        if isinstance(self._given, Mapping):
            ends = np.cumsum([len(np.atleast_2d(part)) for part in self._given.values()])[:-1]
            parts = np.split(feature, ends)
            return {
                name: part.reshape(np.shape(given)) for (name, given), part in zip(self._given.items(), parts)
            }
        return feature.reshape(np.shape(self._given))


Features = FeatureStore | MemoryFeatures
FeaturesLike = PlaceLike | FeatureStore | MemoryFeatures | FeatureSet | Mapping[str, Any] | Any


def content_sha256(features: Features) -> str:
    """The checksum of a store's manifest, which holds those of all its shards; of the numbers, for those in memory."""
    if isinstance(features, FeatureStore):
        return hashlib.sha256((features.path / MANIFEST_NAME).read_bytes()).hexdigest()
    return hashlib.sha256(np.ascontiguousarray(features.read().feature).data).hexdigest()


def content_name(features: Features) -> str | None:
    """A short name of what the features are, for people to compare."""
    return short_checksum(content_sha256(features) if isinstance(features, FeatureStore) else features.read())


def open_features(given: FeaturesLike) -> Features:
    """The features that ``given`` stands for, as something that can be read."""
    if isinstance(given, FeatureStore | MemoryFeatures):
        return given
    if isinstance(given, PlaceLike):
        return FeatureStore(given)
    if given is None:
        raise InputError("features must be a store, a feature set or arrays, got nothing.")
    return MemoryFeatures(given)
