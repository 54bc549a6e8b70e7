"""The data a bench runs on: a folder of the user's, or the real people of LATENTVEIL_DATA."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.store import FeatureStore
from latentveil.store.import_features import ImportSettings, write_imported
from latentveil.types import FeatureSet


def load_bench_data(folder: str | Path | None, *, cache: Path) -> tuple[FeatureSet, Labels]:
    """Features and labels from ``folder``: `raw.store` and `labels.csv`, or the layout of LATENTVEIL_DATA.

    Ready features of the latter are imported once, into ``cache``.
    """
    if folder is None:
        raise InputError("data must be given, got none. Use --data FOLDER or set LATENTVEIL_DATA.")
    folder = Path(folder)
    store, labels = folder / "raw.store", folder / "labels.csv"
    if (folder / "features" / "lsa64.npz").is_file():
        store, labels = cache / "lsa64.store", folder / "lsa64" / "labels.csv"
        if not (store / "manifest.json").exists():
            write_imported(
                [folder / "features" / "lsa64.npz"], store, settings=ImportSettings(encoder="i3d", fps=30.0)
            )
    known = Labels.read(labels)
    opened = FeatureStore(store)
    known = known.only(opened.videos)
    return opened.read(videos=known.video.tolist()), known


@dataclass(frozen=True, eq=False)
class PrincipalComponents:
    """The directions of largest variance: ``mean`` (D,) and orthonormal rows ``axes`` (count, D)."""

    mean: np.ndarray
    axes: np.ndarray

    @classmethod
    def fit(cls, features: FeatureSet, labels: Labels, count: int) -> PrincipalComponents:
        """The ``count`` directions of the training videos' clips and stills."""
        train = features.of_videos(labels.videos("train")).feature.astype(np.float64)
        mean = train.mean(axis=0)
        _, _, axes = np.linalg.svd(train - mean, full_matrices=False)
        return cls(mean, axes[:count])

    def apply(self, features: FeatureSet) -> FeatureSet:
        """The same clips in these directions, (N, D) -> (N, count)."""
        return features.with_feature(((features.feature - self.mean) @ self.axes.T).astype(np.float32))
