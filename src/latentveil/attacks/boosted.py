"""The boosted-trees attack: scikit-learn's histogram gradient boosting on principal components."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.preprocess import Transform, fit_preprocessing
from latentveil.attacks.selection import Logits, Setting, fit_best, spread_logits

CHECK_EVERY = 10


@dataclass(frozen=True, kw_only=True)
class Boosted(Attack):
    """Gradient-boosted trees; the preprocessing and the number of rounds are chosen on validation."""

    about = "Gradient-boosted trees on principal components."

    name: str = "boosted"
    rounds: int = 80
    # Each round grows one tree per class (one for two classes); this bounds them all.
    max_trees: int = 300
    components: int = 64
    # What comes before the turn to principal axes.
    preprocessings: tuple[str, ...] = ("none", "standardise")

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        num_classes = knowledge.num_classes
        trees_per_round = num_classes if num_classes > 2 else 1
        max_rounds = max(5, min(self.rounds, self.max_trees // trees_per_round))

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            for name in self.preprocessings:
                transform, model = self._fit_trees(knowledge.train, name, max_rounds=max_rounds, seed=seed)
                checked = sorted({*range(CHECK_EVERY, max_rounds, CHECK_EVERY), max_rounds})
                stages = _Stages(model, transform, checked, num_classes)
                for rounds in checked:
                    yield {"preprocessing": name, "rounds": rounds}, partial(stages.logits, rounds=rounds)

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            rounds = setting["rounds"]
            transform, model = self._fit_trees(data, setting["preprocessing"], max_rounds=rounds, seed=seed)
            return partial(_Stages(model, transform, [rounds], num_classes).logits, rounds=rounds)

        return fit_best(candidates(), knowledge, refit=refit)

    def _fit_trees(
        self, data: LabelledFeatures, preprocessing: str, *, max_rounds: int, seed: int
    ) -> tuple[Transform, HistGradientBoostingClassifier]:
        transform = self._turn(data, preprocessing)
        model = HistGradientBoostingClassifier(
            max_iter=max_rounds,
            max_leaf_nodes=8,
            min_samples_leaf=max(1, min(20, len(data) // 20)),
            l2_regularization=1.0,
            max_features=0.5,
            early_stopping=False,
            random_state=seed,
        )
        model.fit(transform(data.feature), data.target)
        return transform, model

    def _turn(self, data: LabelledFeatures, preprocessing: str) -> Transform:
        """The preprocessing, then the turn to principal axes, which does not see a scaling by one number."""
        if preprocessing == "none":
            return data.preprocessing("whiten", max_components=self.components)
        scale = data.preprocessing(preprocessing)
        turn = fit_preprocessing("whiten", scale(data.feature), max_components=self.components)
        return lambda feature: turn(scale(feature))


attack = Boosted()


class _Stages:
    """The answers of a model after some of its rounds; all of them for what was asked last, grown in one go."""

    def __init__(
        self,
        model: HistGradientBoostingClassifier,
        transform: Transform,
        checked: Sequence[int],
        num_classes: int,
    ) -> None:
        self.model = model
        self.transform = transform
        self.checked = set(checked)
        self.num_classes = num_classes
        self._asked: np.ndarray | None = None
        self._answers: dict[int, np.ndarray] = {}

    def logits(self, feature: np.ndarray, *, rounds: int) -> np.ndarray:
        """Logits (N, C) after ``rounds`` rounds, which must be one of those to be checked."""
        if self._asked is not feature:
            stages = enumerate(self.model.staged_predict_proba(self.transform(feature)), start=1)
            self._answers = {
                number: np.log(np.maximum(answer, 1e-12))
                for number, answer in stages
                if number in self.checked
            }
            self._asked = feature
        return spread_logits(self._answers[rounds], self.model.classes_, self.num_classes)
