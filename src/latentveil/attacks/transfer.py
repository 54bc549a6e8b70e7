"""The transfer attack: a classifier of raw features, applied to features it was never shown the like of.

Penalty-driven paper, Table 6.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import softmax

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack
from latentveil.attacks.lda import LDA
from latentveil.attacks.linear import Linear
from latentveil.attacks.selection import TURNED_ROUND, choose, turn_round
from latentveil.errors import InputError


@dataclass(frozen=True, kw_only=True)
class Transfer(Attack):
    """The classifier that is best on raw validation videos; it sees no anonymized feature beforehand.

    Anonymized validation videos tell one thing only: whether its answers are to be turned round.
    """

    about = "A classifier of raw features, applied to anonymized ones as they are."
    needs_raw = True

    name: str = "transfer"
    classifiers: tuple[Attack, ...] = (LDA(), Linear())

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        raw = knowledge.raw
        under_attack, known = knowledge.train.feature.shape[1], raw.train.feature.shape[1]
        if under_attack != known:
            raise InputError(
                f"attack {self.name!r} must be given features of {known} dimensions like the raw ones, got "
                f"{under_attack}. Leave it out of the attacks."
            )
        fitted = {attack.name: attack.fit_once(raw, seed=seed) for attack in self.classifiers}
        classifier = max(fitted, key=lambda name: fitted[name].validation_score)
        chosen = fitted[classifier]
        setting = {"classifier": classifier, **chosen.setting}

        def logits(feature: np.ndarray) -> np.ndarray:
            return np.log(np.maximum(chosen.probabilities(feature), 1e-12))

        shares = raw.everything.class_shares(knowledge.num_classes)
        if not choose([(setting, logits)], knowledge.validation, frequency=shares).turned:
            return FittedAttack(chosen.probabilities, chosen.validation_score, setting)
        return FittedAttack(
            lambda feature: softmax(turn_round(logits(feature), shares), axis=1),
            chosen.validation_score,
            setting | TURNED_ROUND,
        )


attack = Transfer()
