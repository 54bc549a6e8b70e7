"""An attack of my own: the nearest class in cosine, checked by the contract and used in an audit.

Run: python examples/attack_of_my_own.py
In a package of its own, this file and one entry point are all it takes:

    [project.entry-points."latentveil.attacks"]
    centroids = "my_package.centroids:attack"
"""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import latentveil as lv
from invented_people import invent
from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.preprocess import fit_preprocessing
from latentveil.attacks.selection import fit_best, spread_logits
from latentveil.testing import check_attack


@dataclass(frozen=True, kw_only=True)
class Centroids(Attack):
    """The class whose mean points the same way; the preprocessing is chosen on validation videos."""

    about: ClassVar[str] = "The class whose mean feature is nearest in cosine."

    name: str = "centroids"
    preprocessings: tuple[str, ...] = ("none", "standardise", "whiten")

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        """Fit on ``knowledge.train``, choose on ``knowledge.validation``, then fit again on both."""

        def logits(setting: dict, data: LabelledFeatures):
            change = fit_preprocessing(setting["preprocessing"], data.feature)
            changed, classes = change(data.feature), np.unique(data.target)
            means = np.stack([changed[data.target == label].mean(axis=0) for label in classes])  # (K, D)
            return lambda feature: spread_logits(
                10 * cosine(change(feature), means), classes, knowledge.num_classes
            )

        settings = [{"preprocessing": name} for name in self.preprocessings]
        candidates = ((setting, logits(setting, knowledge.train)) for setting in settings)
        return fit_best(candidates, knowledge, refit=logits)


def cosine(rows: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Cosines (N, K) between rows (N, D) and others (K, D)."""
    lengths = np.linalg.norm(rows, axis=1)[:, None] * np.linalg.norm(others, axis=1)[None]
    return rows @ others.T / np.maximum(lengths, 1e-12)


attack = Centroids()

if __name__ == "__main__":
    check_attack(
        attack
    )  # finds a planted secret, finds nothing in noise, answers in probabilities, repeats itself
    print("centroids keeps the contract of attacks")

    features, stills, labels = invent()
    raw = lv.FeatureSet.from_arrays(features, stills=stills)
    adapter = lv.fit(raw, labels, tasks=["action"], progress=False)
    safe = lv.apply(adapter, raw)
    audit = lv.audit(raw, safe, labels, secrets=["gender"], attacks=[attack, "linear"], progress=False)
    print(audit)
