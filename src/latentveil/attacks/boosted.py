"""The boosted-trees attack: scikit-learn's histogram gradient boosting on principal components."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

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
                for rounds in sorted({*range(CHECK_EVERY, max_rounds, CHECK_EVERY), max_rounds}):
                    setting = {"preprocessing": name, "rounds": rounds}
                    yield setting, _logits(model, transform, rounds=rounds, num_classes=num_classes)

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            rounds = setting["rounds"]
            transform, model = self._fit_trees(data, setting["preprocessing"], max_rounds=rounds, seed=seed)
            return _logits(model, transform, rounds=rounds, num_classes=num_classes)

        return fit_best(candidates(), knowledge, refit=refit)

    def _fit_trees(
        self, data: LabelledFeatures, preprocessing: str, *, max_rounds: int, seed: int
    ) -> tuple[Transform, HistGradientBoostingClassifier]:
        scale = fit_preprocessing(preprocessing, data.feature)
        turn = fit_preprocessing("whiten", scale(data.feature), max_components=self.components)
        model = HistGradientBoostingClassifier(
            max_iter=max_rounds,
            max_leaf_nodes=8,
            min_samples_leaf=max(1, min(20, len(data) // 20)),
            l2_regularization=1.0,
            max_features=0.5,
            early_stopping=False,
            random_state=seed,
        )
        model.fit(turn(scale(data.feature)), data.target)
        return lambda feature: turn(scale(feature)), model


attack = Boosted()


def _logits(
    model: HistGradientBoostingClassifier, transform: Transform, *, rounds: int, num_classes: int
) -> Logits:
    def logits(feature: np.ndarray) -> np.ndarray:
        stages = model.staged_predict_proba(transform(feature))
        probabilities = next(islice(stages, rounds - 1, rounds))
        return spread_logits(np.log(np.maximum(probabilities, 1e-12)), model.classes_, num_classes)

    return logits
