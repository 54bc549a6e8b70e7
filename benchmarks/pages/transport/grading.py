"""What is measured of a row: attacks in both directions, singling out, linkability, and actions nobody named."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from benchmarks.pages.transport.rows import SafeRow
from latentveil.auditing.answers import SecretAnswers, attack_secret
from latentveil.auditing.leakage import compare_answers
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.auditing.risks.singling_out import measure_singling_out
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.labels import Labels
from latentveil.results.risks import ANY_RECORDING
from latentveil.types import STATIC, TEMPORAL, FeatureSet

ATTACKS = ("lda", "linear", "neighbours", "informed")
TURNED = ", turned round"


def turned_round(probabilities: np.ndarray) -> np.ndarray:
    """The answers (V, C) of whoever takes the least likely class for the most likely one."""
    return (1 - probabilities) / (probabilities.shape[1] - 1)


def both_ways(answers: SecretAnswers) -> SecretAnswers:
    """The answers of each attack, and of the same attack turned round."""
    turned = {name + TURNED: turned_round(found) for name, found in answers.probabilities.items()}
    settings = {name + TURNED: found for name, found in answers.settings.items()}
    return replace(
        answers, probabilities=answers.probabilities | turned, settings=answers.settings | settings
    )


def subjects_in(labels: Labels) -> list[tuple[str, str]]:
    """The secrets and kinds of clips that are attacked: who it is from clips and stills, and gender from clips."""
    found = [("identity", TEMPORAL), ("identity", STATIC)]
    return [*found, ("gender", TEMPORAL)] if "gender" in labels.secrets else found


class Grader:
    """Grades the rows of one set under one seed; what raw features give is measured once."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self._raw: dict[tuple[str, str], SecretAnswers] = {}

    def grade(self, row: SafeRow) -> dict[str, Any]:
        """One line of the results."""
        copies = row.copies(self.arena)
        return {
            "row": row.name,
            "seed": self.arena.seed,
            "secrets": {
                f"{secret}, {kind}": self._attack(copies, secret, kind)
                for secret, kind in subjects_in(self.arena.labels)
            },
            "risks": self._risks(copies[0]),
            "unseen": self.arena.utility(copies[0], seen=False),
        }

    def _attack(self, copies: list[FeatureSet], secret: str, kind: str) -> dict[str, Any]:
        if (secret, kind) not in self._raw:
            self._raw[secret, kind] = self._answers([self.arena.features], secret, kind)
        found = compare_answers(
            self._raw[secret, kind], self._answers(copies, secret, kind), seed=self.arena.seed
        )
        ahead = {name: one for name, one in found.attacks.items() if not name.endswith(TURNED)}
        return {
            "chance": found.chance,
            "best": found.worst.anonymized.value,
            "attack": found.worst.attack,
            "raw": found.worst.raw.value,
            "straight": max(one.anonymized.interval.value for one in ahead.values()),
        }

    def _answers(self, copies: list[FeatureSet], secret: str, kind: str) -> SecretAnswers:
        return both_ways(
            attack_secret(
                copies[0],
                self.arena.features,
                self.arena.labels,
                secret,
                kind=kind,
                attacks=ATTACKS,
                seed=self.arena.seed,
                redrawn=copies[1:],
            )
        )

    def _risks(self, safe: FeatureSet) -> dict[str, float]:
        """Naming people by all their other videos, and telling whether two videos show one stranger."""
        given = self.arena.features, safe, self.arena.labels
        named = measure_singling_out(*given, kind=TEMPORAL, known_videos=(None,), seed=self.arena.seed)
        linked = measure_linkability(*given, kind=TEMPORAL, seed=self.arena.seed).anonymized[ANY_RECORDING]
        assert linked.video is not None
        assert linked.pooled is not None
        return {
            "named": named.anonymized[0].top1.value,
            "named_chance": named.chance,
            "auc": linked.video.auc.value,
            "pooled_auc": linked.pooled.auc.value,
            "people": linked.video.num_people,
        }
