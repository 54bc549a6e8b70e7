"""What an attack must answer, and the checks that no attack's answer escapes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from latentveil.attacks.knowledge import AttackerKnowledge, LabelledFeatures, Look, video_means
from latentveil.errors import InputError, PluginError

__all__ = [
    "Attack",
    "AttackerKnowledge",
    "FittedAttack",
    "LabelledFeatures",
    "Score",
    "VideoAnswers",
    "View",
    "video_means",
]

# How well a model does on validation videos, to compare: (metric, minus log loss), larger is better.
Score = tuple[float, float]


@dataclass(frozen=True, eq=False)
class FittedAttack:
    """A model that answers, what it scored on validation before its last fit, and what was chosen there.

    ``probabilities`` maps features (N, D) to class probabilities (N, C). A last fit on all that is known may wait until
    it is first asked: what loses on validation is never asked.
    """

    probabilities: Callable[[np.ndarray], np.ndarray]
    validation_score: Score
    setting: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class View:
    """One way to look at videos: what is known, seen so, and the ``look`` at the clips that are asked about."""

    knowledge: AttackerKnowledge
    look: Look

    @classmethod
    def of_clips(cls, knowledge: AttackerKnowledge) -> View:
        """Clip by clip, as they are."""
        return cls(knowledge, lambda feature, video: (video, feature))

    @classmethod
    def of_means(cls, knowledge: AttackerKnowledge) -> View:
        """Each video as the mean of its clips."""
        return cls(knowledge.pooled(), video_means)


@dataclass(frozen=True, eq=False)
class VideoAnswers:
    """An attack's checked answer: ``video`` (V,) sorted, ``probabilities`` (V, C), and what validation chose.

    ``validation_score`` is that of the choice; None where there was nothing to learn.
    """

    video: np.ndarray
    probabilities: np.ndarray
    setting: dict[str, Any]
    validation_score: Score | None = None


class Attack(ABC):
    """One way to recover a secret from features, fitted fresh for every set of features it grades.

    Its parameters are set by keyword when it is made and never change: one object serves any number of fits.
    """

    # What results are filed under, what it does in one sentence, and whether it learns from raw features, too, or from
    # further draws of the noise, where there are some: both are held by whoever holds the adapter, and by nobody else.
    name: str
    about: ClassVar[str]
    needs_raw: ClassVar[bool] = False
    learns_from_draws: ClassVar[bool] = False
    # Whether other attacks ask for its fit; then what it gave is kept as long as the knowledge is.
    is_built_on: ClassVar[bool] = False

    @abstractmethod
    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        """A model whose every choice was made on ``knowledge.validation``."""

    def fit_once(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        """``fit``, or what it gave for this very knowledge before."""
        if not vars(type(self)).get("is_built_on", False):  # not inherited: a subclass may fit otherwise
            return self._fitted(knowledge, seed=seed)
        fitted: FittedAttack = knowledge.once((self, seed), lambda: self._fitted(knowledge, seed=seed))
        return fitted

    def _fitted(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        found = self.fit(knowledge, seed=seed)
        if not isinstance(found, FittedAttack):
            raise PluginError(
                f"the attack {self.name} must give a FittedAttack, got {type(found).__name__}. Mend it."
            )
        return found

    def views(self, knowledge: AttackerKnowledge) -> dict[str, View]:
        """The ways to look at videos that validation chooses from: clips, and where there are several, their mean."""
        found = {"clip": View.of_clips(knowledge)}
        if len(np.unique(knowledge.train.video)) < len(knowledge.train):
            found["video"] = View.of_means(knowledge)
        return found

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

        views = self.views(knowledge)
        fitted = {name: self.fit_once(view.knowledge, seed=seed) for name, view in views.items()}
        pooling = max(fitted, key=lambda name: fitted[name].validation_score)

        video, feature = views[pooling].look(feature, video)
        probabilities = self._checked(
            fitted[pooling].probabilities(feature), knowledge, num_rows=len(feature)
        )
        videos, probabilities = video_means(probabilities, video)
        chosen = fitted[pooling]
        setting = {"pooling": pooling, **chosen.setting}
        return VideoAnswers(videos, probabilities, setting, chosen.validation_score)

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
            raise PluginError(f"probabilities of attack {self.name!r} must be {wrong}.")
        return probabilities


def _anything_to_learn(knowledge: AttackerKnowledge) -> bool:
    """Whether the known features differ at all and show two classes."""
    feature, target = knowledge.train.feature, knowledge.train.target
    return bool((feature != feature[0]).any()) and bool((target != target[0]).any())
