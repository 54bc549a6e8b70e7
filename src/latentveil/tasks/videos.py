"""The labelled videos of one task: which belong to a split, and where their temporal clips lie in a feature set."""

from __future__ import annotations

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import TEMPORAL, FeatureSet


class TaskVideos:
    """The videos that have a value in one label column, and the rows of their temporal clips among ``features``.

    A blank in the column keeps a video out.
    """

    def __init__(self, features: FeatureSet, labels: Labels, *, column: str) -> None:
        self.features = features
        self.column = column
        labelled = labels.column(column) != ""
        self.labels = labels.only(labels.video[labelled])
        self._value = dict(zip(self.labels.video.tolist(), self.labels.column(column).tolist()))
        self._views: dict[str, list[np.ndarray]] = {}
        for video, kind, _, rows in features.sequences():
            if kind == TEMPORAL:
                self._views.setdefault(video, []).append(rows)

    def names(self, split: str) -> list[str]:
        """The videos of a split, in the order of the labels; all of them must have features."""
        names = self.labels.videos(split)
        if not names:
            raise InputError(
                f"labels must have {split} videos with a value for {self.column!r}, got none. "
                f"Set split to {split} for some videos."
            )
        missing = [name for name in names if name not in self._views]
        if missing:
            raise InputError(
                f"features must have temporal clips of every {split} video, got none of {missing[0]!r} ({len(missing)} "
                "missing). Extract them, or take their rows out of the labels."
            )
        return names

    def views(self, video: str) -> list[np.ndarray]:
        """For each stored view of a video, the rows of its clips in time order, (T,) each."""
        return self._views[video]

    def groups(self, videos: list[str]) -> np.ndarray:
        """What intervals resample (V,): the person of each video, or the video where nobody is named."""
        return self.labels.groups[self.labels.places(videos)]

    def values(self, videos: list[str]) -> np.ndarray:
        """The label of each video (V,), as text."""
        return np.array([self._value[video] for video in videos])
