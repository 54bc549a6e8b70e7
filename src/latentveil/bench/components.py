"""Principal components of a bench's features, which make training many adapters affordable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.labels import Labels
from latentveil.types import FeatureSet


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

    def refit(self, features: FeatureSet, labels: Labels) -> PrincipalComponents:
        """As many directions of other features, centred where these are."""
        return self.fit(features, labels, len(self.axes), centred=bool(self.mean.any()))

    def apply(self, features: FeatureSet) -> FeatureSet:
        """The same clips in these directions, (N, D) -> (N, count)."""
        return features.with_feature(((features.feature - self.mean) @ self.axes.T).astype(np.float32))
