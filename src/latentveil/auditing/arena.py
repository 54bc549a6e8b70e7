"""Where attacks on one secret take place: what an attacker holds in each fold, and what it is asked about."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.auditing.sampling import MAX_TRAINING_CLIPS, MAX_VALIDATION_CLIPS, sample_clips
from latentveil.auditing.splits import Fold
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet


@dataclass(frozen=True, eq=False)
class Arena:
    """Features under attack and raw features of the same clips, with the secret of each video as a class number.

    ``redrawn`` hold clips of other kinds, too, since a selection of each would be a copy; ``place`` (N,) says where the
    clips under attack are in them.
    """

    features: FeatureSet
    raw: FeatureSet
    redrawn: tuple[FeatureSet, ...]
    place: np.ndarray
    classes: tuple[str, ...]
    class_by_video: dict[str, int]
    seed: int

    @classmethod
    def build(
        cls,
        features: FeatureSet,
        raw: FeatureSet,
        redrawn: tuple[FeatureSet, ...],
        place: np.ndarray,
        labels: Labels,
        secret: str,
        *,
        seed: int,
    ) -> Arena:
        values = labels.column(secret)
        classes = _sorted_classes(values)
        if len(classes) < 2:
            raise InputError(
                f"secret {secret!r} must have two classes or more, got {', '.join(classes) or 'none'}."
            )
        number = {name: index for index, name in enumerate(classes)}
        by_video = {str(video): number[str(value)] for video, value in zip(labels.video, values)}
        return cls(features, raw, redrawn, place, classes, by_video, seed)

    def changed(self, change: Callable[[np.ndarray], np.ndarray]) -> Arena:
        """The same clips after a ``change`` of features (N, D), of published, raw and redrawn ones alike."""

        def of(features: FeatureSet) -> FeatureSet:
            return features.with_feature(change(features.feature))

        raw = of(self.raw)
        return replace(
            self,
            features=raw if self.features is self.raw else of(self.features),
            raw=raw,
            redrawn=tuple(of(copy.select(self.place)) for copy in self.redrawn),
            place=np.arange(len(raw)),
        )

    def class_of_video(self, videos: np.ndarray) -> np.ndarray:
        return np.array([self.class_by_video[str(video)] for video in videos])

    def rows(self, videos: Sequence[str]) -> np.ndarray:
        return np.flatnonzero(np.isin(self.raw.video, np.array(videos)))

    def knowledge(self, fold: Fold, *, shared_raw: AttackerKnowledge | None = None) -> AttackerKnowledge:
        """What the attacker holds in a fold; ``shared_raw`` is its raw side where that is there already."""
        train = self._sampled_rows(fold.train, MAX_TRAINING_CLIPS)
        validation = self._sampled_rows(fold.validation, MAX_VALIDATION_CLIPS)
        if shared_raw is not None:
            raw = [shared_raw.train, shared_raw.validation]
        else:
            raw = [self._labelled(self.raw, rows) for rows in (train, validation)]
        is_raw = self.features is self.raw
        known = raw if is_raw else [self._labelled(self.features, rows) for rows in (train, validation)]
        return AttackerKnowledge(
            train=known[0],
            validation=known[1],
            num_classes=len(self.classes),
            raw_train=raw[0],
            raw_validation=raw[1],
            redrawn_train=tuple(self._labelled(copy, self.place[train]) for copy in self.redrawn),
            redrawn_validation=tuple(self._labelled(copy, self.place[validation]) for copy in self.redrawn),
            shared_raw=shared_raw,
        )

    def _sampled_rows(self, videos: Sequence[str], limit: int) -> np.ndarray:
        rows = self.rows(videos)
        return rows[sample_clips(self.raw.video[rows], limit, seed=self.seed)]

    def _labelled(self, features: FeatureSet, rows: np.ndarray) -> LabelledFeatures:
        video = features.video[rows].astype(str)
        return LabelledFeatures(features.feature[rows], self.class_of_video(video), video)


def _sorted_classes(values: np.ndarray) -> tuple[str, ...]:
    """The class names in order, as numbers where all of them are numbers."""
    names = sorted({str(value) for value in values})
    try:
        return tuple(sorted(names, key=float))
    except ValueError:
        return tuple(names)
