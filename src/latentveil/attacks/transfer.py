"""The transfer attack: a classifier of raw features, applied to features it was never shown the like of.

Penalty-driven paper, Table 6.
"""

from __future__ import annotations

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack
from latentveil.attacks.lda import LdaAttack
from latentveil.attacks.linear import LinearAttack
from latentveil.errors import InputError


class TransferAttack(Attack):
    """The better on raw validation of shrinkage LDA and logistic regression; sees no anonymized feature beforehand."""

    name = "transfer"
    needs_raw = True

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        raw = knowledge.raw
        under_attack, known = knowledge.train.feature.shape[1], raw.train.feature.shape[1]
        if under_attack != known:
            raise InputError(
                f"attack 'transfer' must be given features of {known} dimensions like the raw ones, got {under_attack}."
                " Leave it out of the attacks."
            )
        fitted = {attack.name: attack.fit(raw, seed=seed) for attack in (LdaAttack(), LinearAttack())}
        classifier = max(fitted, key=lambda name: fitted[name].validation_score)
        chosen = fitted[classifier]
        setting = {"classifier": classifier, **chosen.setting}
        return FittedAttack(chosen.probabilities, chosen.validation_score, setting)
