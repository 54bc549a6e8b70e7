"""What an attacker holds, what an attack must answer, and the checks that no attack's answer escapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from latentveil.errors import InputError

# How well a model does on validation videos, to compare: (metric, minus log loss), larger is better.
Score = tuple[float, float]


@dataclass(frozen=True, eq=False)
class LabelledFeatures:
    """Clips with a known answer: ``feature`` (N, D) float32, ``target`` (N,) int classes from 0, ``video`` (N,) str."""

    feature: np.ndarray
    target: np.ndarray
    video: np.ndarray

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
        videos, feature = video_means(self.feature, self.video)
        return LabelledFeatures(feature, self.video_targets(), videos)

    def video_targets(self) -> np.ndarray:
        """The class (V,) of each video, videos sorted by name."""
        _, first = np.unique(self.video, return_index=True)
        return self.target[first]

    def class_shares(self, num_classes: int) -> np.ndarray:
        """The share of each class (C,) among the clips."""
        return np.bincount(self.target, minlength=num_classes) / len(self.target)

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
    ``redrawn_train`` and ``redrawn_validation`` are the same clips, anonymized again with other noise.
    """

    train: LabelledFeatures
    validation: LabelledFeatures
    num_classes: int
    raw_train: LabelledFeatures | None = None
    raw_validation: LabelledFeatures | None = None
    redrawn_train: tuple[LabelledFeatures, ...] = ()
    redrawn_validation: tuple[LabelledFeatures, ...] = ()

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

    @property
    def everything(self) -> LabelledFeatures:
        """Both parts as one, for the fit after all is chosen."""
        return self.train.and_also(self.validation)

    @property
    def redrawn_everything(self) -> tuple[LabelledFeatures, ...]:
        """The redrawn copies of both parts."""
        return (*self.redrawn_train, *self.redrawn_validation)

    @property
    def raw(self) -> AttackerKnowledge:
        """The same knowledge, of the raw features."""
        assert self.raw_train is not None
        assert self.raw_validation is not None
        return replace(
            self,
            train=self.raw_train,
            validation=self.raw_validation,
            redrawn_train=(),
            redrawn_validation=(),
        )

    def pooled(self) -> AttackerKnowledge:
        """The same knowledge with one mean feature per video."""
        parts = ("train", "validation", "raw_train", "raw_validation")
        present = {name: getattr(self, name) for name in parts if getattr(self, name) is not None}
        return replace(
            self,
            **{name: part.pooled() for name, part in present.items()},
            redrawn_train=tuple(part.pooled() for part in self.redrawn_train),
            redrawn_validation=tuple(part.pooled() for part in self.redrawn_validation),
        )

    def class_frequencies(self) -> np.ndarray:
        """The share of each class (C,) among the videos the attacker knows."""
        target = self.everything.video_targets()
        return np.bincount(target, minlength=self.num_classes) / len(target)


@dataclass(frozen=True, eq=False)
class FittedAttack:
    """A model that answers, what it scored on validation before its last fit, and what was chosen there.

    ``probabilities`` maps features (N, D) to class probabilities (N, C).
    """

    probabilities: Callable[[np.ndarray], np.ndarray]
    validation_score: Score
    setting: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class VideoAnswers:
    """An attack's checked answer: ``video`` (V,) sorted, ``probabilities`` (V, C), and what validation chose."""

    video: np.ndarray
    probabilities: np.ndarray
    setting: dict[str, Any]


class Attack(ABC):
    """One way to recover a secret from features, fitted fresh for every set of features it grades.

    Its parameters are set by keyword when it is made and never change: one object serves any number of fits.
    """

    # What results are filed under, what it does in one sentence, and whether it learns from raw features, too.
    name: str
    about: ClassVar[str]
    needs_raw: ClassVar[bool] = False

    @abstractmethod
    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        """A model whose every choice was made on ``knowledge.validation``."""

    def run(
        self, knowledge: AttackerKnowledge, feature: np.ndarray, video: np.ndarray, *, seed: int
    ) -> VideoAnswers:
        """Fit on what the attacker knows and answer for videos it has not seen, once.

        Shapes: ``feature`` (N, D) and ``video`` (N,), clips of the videos to answer for. The attacker may learn from
        clips and average its answers over a video, or learn from each video's mean feature: validation decides.
        Features that are all equal hold nothing, and the answer to them is how frequent each class is.
        """
        if self.needs_raw and (knowledge.raw_train is None or knowledge.raw_validation is None):
            raise InputError(
                f"attack {self.name!r} needs raw features, got none. Hand over raw_train, raw_validation."
            )
        if not _anything_to_learn(knowledge):
            videos = np.unique(video)
            answer = np.tile(knowledge.class_frequencies(), (len(videos), 1))  # (V, C)
            return VideoAnswers(videos, answer, {"nothing_to_learn": True})

        fitted = {"clip": self.fit(knowledge, seed=seed)}
        if len(np.unique(knowledge.train.video)) < len(knowledge.train):
            fitted["video"] = self.fit(knowledge.pooled(), seed=seed)
        pooling = max(fitted, key=lambda name: fitted[name].validation_score)

        if pooling == "video":
            video, feature = video_means(feature, video)
        probabilities = self._checked(
            fitted[pooling].probabilities(feature), knowledge, num_rows=len(feature)
        )
        videos, probabilities = video_means(probabilities, video)
        return VideoAnswers(videos, probabilities, {"pooling": pooling, **fitted[pooling].setting})

    def _checked(
        self, probabilities: np.ndarray, knowledge: AttackerKnowledge, *, num_rows: int
    ) -> np.ndarray:
        """The probabilities as float64 (N, C), or an error: a broken attack must not look like a safe feature."""
        probabilities = np.asarray(probabilities, dtype=np.float64)
        wrong = None
        if probabilities.shape != (num_rows, knowledge.num_classes):
            wrong = f"of shape {(num_rows, knowledge.num_classes)}, got {probabilities.shape}"
        elif not np.isfinite(probabilities).all() or probabilities.min() < 0:
            wrong = "finite and not negative, got others"
        elif np.abs(probabilities.sum(axis=1) - 1).max() > 1e-4:
            wrong = f"rows that sum to 1, got {probabilities.sum(axis=1).min():.4f}"
        if wrong:
            raise RuntimeError(f"probabilities of attack {self.name!r} must be {wrong}.")
        return probabilities


def video_means(values: np.ndarray, video: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The sorted videos (V,) and the mean of each one's rows: values (N, K) -> (V, K), of the same dtype."""
    videos, place, counts = np.unique(video, return_inverse=True, return_counts=True)
    in_order = values[np.argsort(place, kind="stable")].astype(np.float64)
    sums = np.add.reduceat(in_order, np.cumsum(counts) - counts, axis=0)  # (V, K)
    return videos, (sums / counts[:, None]).astype(values.dtype)


def _anything_to_learn(knowledge: AttackerKnowledge) -> bool:
    """Whether the known features differ at all and show two classes."""
    feature, target = knowledge.train.feature, knowledge.train.target
    return bool((feature != feature[0]).any()) and bool((target != target[0]).any())
