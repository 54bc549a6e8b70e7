"""Small features made on the spot, on which it is known what an attack must find."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, LabelledFeatures, VideoAnswers

DIM = 8


@dataclass(frozen=True, eq=False)
class Scene:
    """What an attacker knows, and what it is asked: ``feature`` (N, D) of the clips of ``video`` (N,), sorted.

    ``target`` (V,) is the right answer for each video.
    """

    knowledge: AttackerKnowledge
    feature: np.ndarray
    video: np.ndarray
    target: np.ndarray

    @classmethod
    def of(
        cls,
        feature: np.ndarray,
        target: np.ndarray,
        *,
        raw: np.ndarray | None = None,
        num_classes: int | None = None,
        clips_per_video: int = 1,
    ) -> Scene:
        """The first three fifths of the rows as training, the next fifth as validation, the last to answer for.

        Shapes: ``feature`` (N, D), ``target`` (N,), ``raw`` (N, D') the raw features where the attack may have them.
        """
        rows = len(feature)
        video = np.array([f"v{row // clips_per_video:04d}" for row in range(rows)])
        train, validation, test = np.split(np.arange(rows), [rows * 3 // 5, rows * 4 // 5])

        def part(values: np.ndarray, chosen: np.ndarray) -> LabelledFeatures:
            return LabelledFeatures(values[chosen].astype(np.float32), target[chosen], video[chosen])

        knowledge = AttackerKnowledge(
            part(feature, train),
            part(feature, validation),
            num_classes or int(target.max()) + 1,
            raw_train=None if raw is None else part(raw, train),
            raw_validation=None if raw is None else part(raw, validation),
        )
        asked = part(feature, test)
        return cls(knowledge, asked.feature, asked.video, asked.video_targets())

    def ask(self, attack: Attack, *, seed: int = 0) -> VideoAnswers:
        """The attack's answers for the videos it has not seen."""
        return attack.run(self.knowledge, self.feature, self.video, seed=seed)

    def accuracy(self, attack: Attack) -> float:
        """The share of videos for which the likeliest class is the right one."""
        return float((self.ask(attack).probabilities.argmax(axis=1) == self.target).mean())


def planted(num_classes: int, *, rows: int = 300, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """Features (rows, DIM) whose mean depends on the class (rows,), under a common offset and in odd units."""
    random = np.random.default_rng(seed)
    target = random.integers(num_classes, size=rows)
    centres = 6 * np.eye(DIM)[:num_classes]
    feature = (centres[target] + random.normal(size=(rows, DIM)) + 3) * 1e-3
    return feature.astype(np.float32), target
