"""What an attacker holds: clips with a known answer, in the features under attack and in the raw ones."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from latentveil.attacks.preprocess import (
    MAX_COMPONENTS,
    PrincipalAxes,
    Transform,
    fit_preprocessing,
    principal_axes,
    whitening,
)
from latentveil.errors import InputError

# Features (N, D) and videos (N,) -> videos (M,) and what is seen of each, (M, D').
Look = Callable[[np.ndarray, np.ndarray], tuple[np.ndarray, np.ndarray]]


@dataclass(frozen=True, eq=False)
class LabelledFeatures:
    """Clips with a known answer: ``feature`` (N, D) float32, ``target`` (N,) int classes from 0, ``video`` (N,) str."""

    feature: np.ndarray
    target: np.ndarray
    video: np.ndarray
    _transforms: dict[tuple[str, int], Transform] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        if self.feature.ndim != 2 or len(self.feature) == 0:
            raise InputError(f"feature must be of shape (N, D) with N > 0, got {self.feature.shape}.")
        if not np.isfinite(self.feature).all():
            raise InputError(
                "feature must be finite, got NaN or infinite values. Check the adapter that made it."
            )
        for name in ("target", "video"):
            shape = getattr(self, name).shape
            if shape != (len(self.feature),):
                raise InputError(f"{name} must be of shape ({len(self.feature)},), got {shape}.")

    def __len__(self) -> int:
        return len(self.feature)

    def pooled(self) -> LabelledFeatures:
        """One row per video: the mean of its clips' features."""
        return self.seen(video_means)

    def seen(self, look: Look) -> LabelledFeatures:
        """One row per video: what the look sees of its clips."""
        videos, feature = look(self.feature, self.video)
        return LabelledFeatures(feature, self.video_targets(), videos)

    def video_targets(self) -> np.ndarray:
        """The class (V,) of each video, videos sorted by name."""
        _, first = np.unique(self.video, return_index=True)
        return self.target[first]

    def class_shares(self, num_classes: int) -> np.ndarray:
        """The share of each class (C,) among the clips."""
        return np.bincount(self.target, minlength=num_classes) / len(self.target)

    def preprocessing(self, name: str, *, max_components: int = MAX_COMPONENTS) -> Transform:
        """The change of features that ``fit_preprocessing`` learns here, learned once for all attacks."""
        key = (name, max_components if name == "whiten" else 0)
        if key not in self._transforms:
            self._transforms[key] = (
                whitening(*self._mean_and_axes, max_components=max_components)
                if name == "whiten"
                else fit_preprocessing(name, self.feature)
            )
        return self._transforms[key]

    @cached_property
    def _mean_and_axes(self) -> tuple[np.ndarray, PrincipalAxes]:
        mean = self.feature.mean(axis=0, dtype=np.float64)
        return mean, principal_axes(self.feature - mean)

    def and_also(self, other: LabelledFeatures) -> LabelledFeatures:
        """These rows, then the other's."""
        return LabelledFeatures(
            np.concatenate([self.feature, other.feature]),
            np.concatenate([self.target, other.target]),
            np.concatenate([self.video, other.video]),
        )


@dataclass(frozen=True, eq=False)
class AttackerKnowledge:
    """What an attacker learns from: features under attack with the secret, and the raw features of the same clips.

    Every choice is made on ``validation``; the final model may be fitted on both parts. ``raw_train`` and
    ``raw_validation`` are row by row the clips of ``train`` and ``validation``, for the attacks that need them;
    ``redrawn_train`` and ``redrawn_validation`` are the same clips, anonymized again with other noise. ``shared_raw``
    is knowledge of the raw features that is there already, with what was fitted on it.
    """

    train: LabelledFeatures
    validation: LabelledFeatures
    num_classes: int
    raw_train: LabelledFeatures | None = None
    raw_validation: LabelledFeatures | None = None
    redrawn_train: tuple[LabelledFeatures, ...] = ()
    redrawn_validation: tuple[LabelledFeatures, ...] = ()
    shared_raw: AttackerKnowledge | None = field(default=None, repr=False)
    _kept: dict[Any, Any] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        for part, raw, redrawn in (
            (self.train, self.raw_train, self.redrawn_train),
            (self.validation, self.raw_validation, self.redrawn_validation),
        ):
            if not 0 <= part.target.min() <= part.target.max() < self.num_classes:
                raise InputError(
                    f"target must be in 0..{self.num_classes - 1}, got {np.unique(part.target)}."
                )
            for name, other in (("raw", raw), *(("redrawn", copy) for copy in redrawn)):
                if other is not None and not np.array_equal(part.video, other.video):
                    raise InputError(
                        f"{name} features must be of the same clips in the same order, got other videos."
                    )

    @cached_property
    def everything(self) -> LabelledFeatures:
        """Both parts as one, for the fit after all is chosen."""
        return self.train.and_also(self.validation)

    @property
    def redrawn_everything(self) -> tuple[LabelledFeatures, ...]:
        """The redrawn copies of both parts."""
        return (*self.redrawn_train, *self.redrawn_validation)

    @cached_property
    def raw(self) -> AttackerKnowledge:
        """The same knowledge, of the raw features."""
        assert self.raw_train is not None
        assert self.raw_validation is not None
        if self.shared_raw is not None:
            return self.shared_raw
        if self.train is self.raw_train and not self.redrawn_train:
            return self
        return AttackerKnowledge(
            self.raw_train,
            self.raw_validation,
            self.num_classes,
            raw_train=self.raw_train,
            raw_validation=self.raw_validation,
        )

    def pooled(self) -> AttackerKnowledge:
        """The same knowledge with one mean feature per video; the same object whenever it is asked for."""
        return self._pooled

    @cached_property
    def _pooled(self) -> AttackerKnowledge:
        train, validation = self.train.pooled(), self.validation.pooled()
        if self.raw_train is None or self.raw_validation is None:
            raw = None
        elif self.raw is self:
            return AttackerKnowledge(train, validation, self.num_classes, train, validation)
        else:
            raw = self.raw.pooled()
        return AttackerKnowledge(
            train,
            validation,
            self.num_classes,
            raw_train=raw.train if raw else None,
            raw_validation=raw.validation if raw else None,
            redrawn_train=tuple(part.pooled() for part in self.redrawn_train),
            redrawn_validation=tuple(part.pooled() for part in self.redrawn_validation),
            shared_raw=raw,
        )

    def seen(self, look: Look) -> AttackerKnowledge:
        """What a look sees of the features under attack, one row per video; of raw and redrawn ones, nothing."""
        return AttackerKnowledge(self.train.seen(look), self.validation.seen(look), self.num_classes)

    def once(self, key: Any, make: Callable[[], Any]) -> Any:
        """What ``make`` gives, made when ``key`` is first asked for: one attack may build on another's fit."""
        if key not in self._kept:
            self._kept[key] = make()
        return self._kept[key]

    def class_frequencies(self) -> np.ndarray:
        """The share of each class (C,) among the videos the attacker knows."""
        target = self.everything.video_targets()
        return np.bincount(target, minlength=self.num_classes) / len(target)


def video_means(values: np.ndarray, video: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted videos (V,) and the mean of each one's rows: values (N, K) -> (V, K), of the same dtype."""
    videos, place, counts = np.unique(video, return_inverse=True, return_counts=True)
    in_order = values[np.argsort(place, kind="stable")].astype(np.float64)
    sums = np.add.reduceat(in_order, np.cumsum(counts) - counts, axis=0)  # (V, K)
    return videos, (sums / counts[:, None]).astype(values.dtype)
