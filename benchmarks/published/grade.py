"""What graders and attackers read from stills behind an adapter: scores of the held-out people, kept for intervals."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from torch import Tensor

from benchmarks.published.data import JUDGED, Strangers
from latentveil.adapters.adapter import Adapter
from latentveil.attacks import load_attacks
from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.bench.graders.base import Adapt, Attributes
from latentveil.bench.graders.released import ReleasedGrader
from latentveil.metrics.classification import average_precision

PUBLIC, PLAIN, STANDARDISED, ATTACK = (
    "public grader",
    "plain logits, last epoch",
    "… standardised",
    "best attack",
)
GRADERS = (PUBLIC, PLAIN, STANDARDISED, ATTACK)
ATTACKS = ("lda", "linear", "mlp", "neighbours")


@dataclass(frozen=True, eq=False)
class Answers:
    """Scores and truth of the judged attributes on test people, (N, C), who they are (N,), and what was chosen."""

    score: np.ndarray
    target: np.ndarray
    person: np.ndarray
    chosen: str

    def average_precisions(self) -> list[float]:
        return [
            float(average_precision(self.target[:, c], self.score[:, c])) for c in range(self.score.shape[1])
        ]


def grade(
    raw: Strangers, shown: np.ndarray, *, seed: int, attacks: tuple[str, ...], adapter: Adapter | None = None
) -> dict[str, Answers]:
    """All graders on the stills ``raw``, of which ``shown`` (N, D) are the published features.

    The public grader passes raw stills through ``adapter`` batch by batch, anew in every epoch, where rows of a batch
    change each other; where none is given it reads ``shown``.
    """
    published = replace(raw, feature=shown)
    live = adapter is not None and adapter.config["attends"] == "batch"
    plain = ReleasedGrader(unit_logits=False, chooses_epoch=False)
    return {
        PUBLIC: _by_grader(
            ReleasedGrader(), raw if live else published, seed, _adapt(adapter) if live else None
        ),
        PLAIN: _by_grader(plain, published, seed),
        STANDARDISED: _by_grader(plain, replace(raw, feature=_standardised(published)), seed),
        ATTACK: _by_best_attack(published, attacks, seed=seed),
    }


def _adapt(adapter: Adapter | None) -> Adapt:
    assert adapter is not None

    def adapt(rows: Tensor) -> Tensor:
        return adapter(rows[:, None])[:, 0]

    return adapt


def _by_grader(grader: ReleasedGrader, people: Strangers, seed: int, adapt: Adapt | None = None) -> Answers:
    """The grader learns from training and validation people: it has no use for validation."""
    test = people.split == "test"
    order = np.random.default_rng(seed).permutation(np.flatnonzero(test))  # no batch of one camera alone
    train = Attributes(people.feature[~test], people.target[~test])
    found = grader.grade(
        train, Attributes(people.feature[order], people.target[order]), seed=seed, adapt=adapt
    )
    judged = [people.attributes.index(name) for name in JUDGED[people.name]]
    target, person = people.target[order][:, judged], people.person[order]
    return Answers(found.logits[:, judged], target, person, f"epoch {found.epoch}")


def _standardised(people: Strangers) -> np.ndarray:
    """Features with mean 0 and spread 1 in every dimension over the people that may be learned from."""
    known = people.feature[people.split != "test"].astype(np.float64)
    spread = known.std(axis=0)
    return ((people.feature - known.mean(axis=0)) / np.where(spread > 0, spread, 1.0)).astype(np.float32)


def _by_best_attack(people: Strangers, attacks: tuple[str, ...], *, seed: int) -> Answers:
    """For every judged attribute the attack with the highest score on the test people, as audits report it."""
    parts = {name: np.flatnonzero(people.split == name) for name in ("train", "val", "test")}
    test = parts["test"]
    _, first = np.unique(people.video[test], return_index=True)
    videos = test[first]  # one row per video, sorted by name as attacks answer
    scores, chosen = [], []
    for name in JUDGED[people.name]:
        target = people.target[:, people.attributes.index(name)]
        known = {
            part: LabelledFeatures(people.feature[rows], target[rows], people.video[rows])
            for part, rows in parts.items()
        }
        knowledge = AttackerKnowledge(known["train"], known["val"], num_classes=2)
        found = {}
        for attack in load_attacks(list(attacks)):
            answer = attack.run(knowledge, known["test"].feature, known["test"].video, seed=seed)
            found[attack.name] = answer.probabilities[:, 1]
        best = max(found, key=lambda name: float(average_precision(target[videos], found[name])))
        scores.append(found[best])
        chosen.append(best)
    judged = [people.attributes.index(name) for name in JUDGED[people.name]]
    return Answers(
        np.stack(scores, axis=1), people.target[videos][:, judged], people.person[videos], ", ".join(chosen)
    )
