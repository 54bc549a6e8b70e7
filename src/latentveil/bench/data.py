"""The data a bench runs on: a folder with features and labels, in their own dimensions or in principal components."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels, Segment, read_segments
from latentveil.store import FeatureStore
from latentveil.types import ClipTiming, FeatureSet

STORE, LABELS, SEGMENTS = "raw.store", "labels.csv", "segments.csv"


@dataclass(frozen=True, eq=False)
class BenchData:
    """What a bench is run on: features and labels of the same videos, and timed events where there are some."""

    features: FeatureSet
    labels: Labels
    segments: dict[str, list[Segment]] | None = None
    timing: ClipTiming | None = None

    @classmethod
    def load(cls, folder: str | Path, *, components: int = 0, centred: bool = False) -> BenchData:
        """The data of ``folder``, in so many principal components of its training videos (0: as they are)."""
        features, labels = load_bench_data(folder)
        if components:
            space = PrincipalComponents.fit(features, labels, components, centred=centred)
            features = space.apply(features)
        segments = Path(folder) / SEGMENTS
        return cls(
            features,
            labels,
            read_segments(segments) if segments.is_file() else None,
            FeatureStore(Path(folder) / STORE).timing,
        )


def load_bench_data(folder: str | Path) -> tuple[FeatureSet, Labels]:
    """The features of ``folder``/raw.store whose videos have labels in ``folder``/labels.csv, and these labels."""
    store, labels = Path(folder) / STORE, Path(folder) / LABELS
    missing = [path.name for path in (store, labels) if not path.exists()]
    if missing:
        raise InputError(
            f"data must be a folder with {STORE} and {LABELS}, got no {missing[0]} in {folder}. "
            "Make the store with `veil extract` or `veil import`, and put the labels beside it."
        )
    opened = FeatureStore(store)
    known = Labels.read(labels).only(opened.videos)
    return opened.read(videos=known.video.tolist()), known


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """The directions of largest variance: ``mean`` (D,) and orthonormal rows ``axes`` (count, D).

    Not ``centred``, the mean is zero and the directions are those of largest energy: lengths and cosines stay about
    what they are, as the published objective, which works on cosines, sees them.
    """

    mean: np.ndarray
    axes: np.ndarray

    @classmethod
    def fit(
        cls, features: FeatureSet, labels: Labels, count: int, *, centred: bool = True
    ) -> PrincipalComponents:
        """The ``count`` directions of the training videos' clips and stills."""
        train = features.of_videos(labels.videos("train")).feature.astype(np.float64)
        mean = train.mean(axis=0) if centred else np.zeros(features.dim)
        _, _, axes = np.linalg.svd(train - mean, full_matrices=False)
        return cls(mean, axes[:count])

    def apply(self, features: FeatureSet) -> FeatureSet:
        """The same clips in these directions, (N, D) -> (N, count)."""
        return features.with_feature(((features.feature - self.mean) @ self.axes.T).astype(np.float32))
