"""What is measured of a row: attacks on secrets, singling out, linkability, and actions nobody named."""

from __future__ import annotations

from typing import Any

from benchmarks.pages.transport.measured import Entry
from benchmarks.pages.transport.rows import SafeRow
from latentveil.auditing.answers import SecretAnswers, attack_secret
from latentveil.auditing.leakage import compare_answers
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.auditing.risks.singling_out import measure_singling_out
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.labels import IDENTITY, Labels
from latentveil.results.risks import ANY_RECORDING, Links
from latentveil.types import TEMPORAL, FeatureSet

ATTACKS = ("lda", "linear", "neighbours", "quadratic", "course", "informed")
# What an entry is graded by: the attacks on secrets, and what naming and linking look at beside means and videos.
GRADED_BY, RULER = "graded_by", (*ATTACKS, "directions of a person's videos", "spread of clips")
FEW_PEOPLE = 20  # of more, "named" asks the same in a tenth of the time
Scores = dict[str, dict[str, Any]]
Secret = tuple[str, str]


def is_current(entry: Entry) -> bool:
    """Whether an entry was graded by the attacks of today; older ones do not say by which."""
    return entry.get(GRADED_BY) == list(RULER)


class Grader:
    """Grades the rows of one set under one seed; what raw features give is measured once."""

    def __init__(self, arena: Arena) -> None:
        self.arena = arena
        self._raw: dict[Secret, SecretAnswers] = {}

    def grade(self, row: SafeRow) -> Scores:
        """Each score of a row with its interval over people, or over videos for actions."""
        copies = row.copies(self.arena)
        scores = self._risks(copies[0])
        for secret, kind in secrets_in(self.arena.labels):
            scores[f"{secret}, {kind}"] = self._attack(copies, secret, kind)
        unseen = self.arena.utility(copies[0], seen=False)
        ends = unseen["anonymized"]
        scores["unseen actions"] = {
            **{end: ends[end] for end in ("value", "low", "high")},
            "chance": unseen["chance"],
        }
        return scores

    def _attack(self, copies: list[FeatureSet], secret: str, kind: str) -> dict[str, Any]:
        raw = self.arena.features
        if (secret, kind) not in self._raw:
            self._raw[secret, kind] = self._answers([raw], secret, kind)
        answers = self._raw[secret, kind] if copies[0] is raw else self._answers(copies, secret, kind)
        found = compare_answers(self._raw[secret, kind], answers, seed=self.arena.seed)
        best = found.worst.anonymized
        return {
            "value": best.value,
            "low": best.low,
            "high": best.high,
            "chance": found.chance,
            "attack": found.worst.attack,
        }

    def _answers(self, copies: list[FeatureSet], secret: str, kind: str) -> SecretAnswers:
        return attack_secret(
            copies[0],
            self.arena.features,
            self.arena.labels,
            secret,
            kind=kind,
            attacks=ATTACKS,
            seed=self.arena.seed,
            redrawn=copies[1:],
        )

    def _risks(self, safe: FeatureSet) -> Scores:
        """Naming people by all their other videos, and telling whether two videos show one stranger."""
        given = self.arena.features, safe, self.arena.labels
        named = measure_singling_out(*given, kind=TEMPORAL, known_videos=(None,), seed=self.arena.seed)
        top1 = named.anonymized[0].top1
        scores: Scores = {
            "named": {
                "value": top1.value,
                "low": top1.low,
                "high": top1.high,
                "chance": named.chance,
                "people": named.num_people,
            }
        }
        links = measure_linkability(*given, kind=TEMPORAL, seed=self.arena.seed)
        scores |= _link_scores(links.anonymized[ANY_RECORDING], "")
        if links.raw_to_anonymized is not None:
            scores |= _link_scores(links.raw_to_anonymized[ANY_RECORDING], ", raw to safe")
        return scores


def _link_scores(found: Links, ending: str) -> Scores:
    """The areas for single videos and for halves of all of a person's videos."""
    scores = {}
    for name, link in (("linked", found.video), ("pooled", found.pooled)):
        assert link is not None
        auc = link.auc
        scores[name + ending] = {
            "value": auc.value,
            "low": auc.low,
            "high": auc.high,
            "chance": 0.5,
            "people": link.num_people,
        }
    return scores


def secrets_in(labels: Labels) -> list[Secret]:
    """The secrets that are attacked: who it is, where people are few, and gender."""
    found = []
    if len(set(labels.column("person").tolist())) <= FEW_PEOPLE:
        found.append((IDENTITY, TEMPORAL))
    return [*found, ("gender", TEMPORAL)] if "gender" in labels.secrets else found
