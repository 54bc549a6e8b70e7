"""Linkability: whether two videos can be told to show one person, somebody the attacker never learned from.

Every attacker aligns the two stores, compares, and takes the most similar or, turned round, the least similar videos
for the same person: what is estimated on a release and subtracted leaves a person's videos less alike than others'.
Which attacker to trust is chosen on other people than those it is graded on. A recipient without labels could not make
that choice; it is made for them, as if they were lucky.

Whoever holds raw videos of the people looked for holds one half of each person's, and links the released other half:
nothing is learned from the raw originals of what is linked, with which nobody would need to link anything. That
matters where dimensions outnumber people: outside of the few directions in which people differ, both halves of a
person's raw videos cancel each other, and tell each other by that.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from latentveil.auditing.recipients import STRONGEST, Recipient
from latentveil.auditing.risks.alignment import Stores, align, centred, coordinates
from latentveil.auditing.risks.comparison import comparisons, cosines
from latentveil.auditing.risks.pairs import POOLINGS, Units, make_units, why_no_pairs
from latentveil.auditing.risks.people import PeopleFold, people_folds
from latentveil.auditing.risks.recordings import shared_recordings
from latentveil.auditing.risks.tally import LinkTally, draw_pairs
from latentveil.auditing.risks.videos import PeopleVideos
from latentveil.labels import Labels
from latentveil.metrics.verification import PairScores
from latentveil.progress import OnProgress, Progress, silent
from latentveil.results.risks import ANY_RECORDING, PAIRS, Linkability, Links
from latentveil.types import FeatureSet

# What is asked: a sort of pair, and whether videos are pooled.
Question = tuple[str, str]
# The name of an attacker, and what it compares: probe and gallery (V, K).
Attacker = tuple[str, np.ndarray, np.ndarray]
SELECTION_RATE = 0.01


def measure_linkability(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    *,
    kind: str,
    recipient: Recipient = STRONGEST,
    remade: Sequence[FeatureSet] = (),
    seed: int = 0,
    on_progress: OnProgress = silent,
) -> Linkability:
    """Link videos of strangers, raw and anonymized, as the recipient could; ``labels`` must name people.

    Raw and anonymized videos are compared from half to half, never one with itself. ``remade`` are the raw features as
    a recipient anonymizes them who holds the adapter: draws of a random release are learned from and averaged.
    """
    videos = PeopleVideos.gather(
        raw, anonymized, labels, kind=kind, remade=remade if recipient.has_adapter else ()
    )
    found = {}
    modes = _modes(videos, recipient)
    for number, (name, stores) in enumerate(modes.items()):
        on_progress(Progress("linkability", number, len(modes), name.replace("_", " ")))
        found[name] = _Linker(videos, stores, learned=recipient.has_labels, seed=seed).link()
    on_progress(Progress("linkability", len(modes), len(modes)))
    return Linkability(recipient=recipient.name, **found)


def _modes(videos: PeopleVideos, recipient: Recipient) -> dict[str, Stores]:
    """The two stores of each comparison; a store that is constant becomes zeros, which are alike in everything."""
    raw, anonymized = videos.raw, videos.anonymized
    recording = shared_recordings(videos.recording, videos.person)
    if not centred(anonymized).any():
        anonymized = np.zeros_like(anonymized)
    unchanged = raw.shape == anonymized.shape and np.array_equal(raw, anonymized)
    (raw_alone,), (anonymized_alone, *remade_alone) = (
        coordinates(raw),
        coordinates(anonymized, *videos.remade),
    )
    pairs = raw_alone if recipient.has_adapter and not unchanged else None
    modes = {
        "raw": Stores(raw_alone, raw_alone, True, recording),
        "anonymized": Stores(anonymized_alone, anonymized_alone, True, recording, pairs, tuple(remade_alone)),
    }
    if recipient.has_raw:
        comparable = raw.shape == anonymized.shape
        probe, gallery, remade = anonymized_alone, raw_alone, remade_alone
        if comparable:
            probe, gallery, *remade = coordinates(anonymized, raw, *videos.remade)
        paired = gallery if recipient.has_adapter and not unchanged else None
        modes["raw_to_anonymized"] = Stores(probe, gallery, comparable, recording, paired, tuple(remade))
    return {name: replace(stores, spreads=videos.spreads.get(name)) for name, stores in modes.items()}


class _Linker:
    """All questions about one pair of stores."""

    def __init__(self, videos: PeopleVideos, stores: Stores, *, learned: bool, seed: int) -> None:
        self.videos = videos
        self.stores = stores
        self.learned = learned
        self.seed = seed
        self.folds = people_folds(videos.person, videos.split, seed=seed)

    def link(self) -> dict[str, Links]:
        """What is found for each sort of pair."""
        why_not = {pairs: self._why_not(pairs) for pairs in PAIRS}
        tallies = {
            (pairs, pooling): LinkTally(
                pairs, is_symmetric=self.stores.is_one, num_folds=len(self.folds), seed=self.seed
            )
            for pairs in PAIRS
            for pooling in POOLINGS
            if not why_not[pairs]
        }
        for fold in self.folds:
            chosen = self._choose(fold, list(tallies))
            units = {question: self._units(question, fold.test) for question in tallies}
            for question, name, score in self._scores(units, fold.known, fold.test, chosen=chosen):
                sign = chosen[question][1]
                turned = ", turned round" if sign < 0 else ""
                tallies[question].add(sign * score, units[question], attack=name + turned)
        return {
            pairs: Links(why_not=why_not[pairs])
            if why_not[pairs]
            else Links(tallies[pairs, "video"].result(), tallies[pairs, "pooled"].result())
            for pairs in PAIRS
        }

    def _choose(self, fold: PeopleFold, questions: list[Question]) -> dict[Question, tuple[str, int]]:
        """The attacker for each question, and 1 or -1 (turned round): the one with the area farthest from a half.

        Where areas are about equal, who accepts more pairs at a false accept rate of 1 %; of pooled videos, few as they
        are, single ones tell that. Where validation people have no such pair, pairs of any recording decide.
        """
        found = self._grade_all(fold, {*questions, *((ANY_RECORDING, pooling) for pooling in POOLINGS)})
        chosen = {}
        for question in questions:
            pairs = question[0] if question in found else ANY_RECORDING
            grades, single = found[pairs, question[1]], found[pairs, "video"]
            best = max(grades, key=lambda name: (round(abs(grades[name][0]), 2), *np.abs(single[name])[::-1]))
            chosen[question] = (best, -1 if grades[best][0] < 0 else 1)
        return chosen

    def _grade_all(self, fold: PeopleFold, questions: set[Question]) -> dict[Question, dict[str, np.ndarray]]:
        """What every attacker reaches on validation people, as ``_grade`` gives it, the mean over the fold's trials."""
        grades: dict[Question, dict[str, list[np.ndarray]]] = {}
        for learn, choose_on in fold.trials:
            units = {question: self._units(question, choose_on) for question in sorted(questions)}
            drawn = {
                (pairs, pooling): draw_pairs(asked, asked.candidates(pairs), share=0.4, seed=self.seed)
                for (pairs, pooling), asked in units.items()
            }
            for question, name, score in self._scores(units, learn, choose_on):
                scored = drawn[question].scored(score)
                if scored.num_same and scored.num_different:
                    grade = _grade(scored, units[question])
                    grades.setdefault(question, {}).setdefault(name, []).append(grade)
        return {
            question: {name: np.mean(trials, axis=0) for name, trials in found.items()}
            for question, found in grades.items()
        }

    def _scores(
        self,
        units: Mapping[Question, Units],
        known: np.ndarray,
        rows: np.ndarray,
        *,
        chosen: Mapping[Question, tuple[str, int]] | None = None,
    ) -> Iterator[tuple[Question, str, np.ndarray]]:
        """Yield (question, attacker, score): how alike the units among ``rows`` (V,) are, (U, U).

        By every attacker, or by the one ``chosen`` for a question. ``known`` (V,) are the videos whose people and pairs
        they learn from. Of two stores, units of either half are looked for by whoever holds the other half raw.
        """
        for asked in [units] if self.stores.is_one else _by_sort(units):
            wanted = None if chosen is None else {chosen[question][0] for question in asked}
            if self.stores.is_one:
                sides = [self._attackers(self.stores, known, rows, wanted=wanted)]
            else:
                half = next(own.half for (_, pooling), own in asked.items() if pooling == "video")
                sides = [
                    self._attackers(self._holding(known, rows, half == side), known, rows, wanted=wanted)
                    for side in range(2)
                ]
            for found in zip(*sides, strict=True):
                name = found[0][0]
                for question, own in asked.items():
                    if chosen is None or chosen[question][0] == name:
                        yield question, name, _score(own, found)

    def _holding(self, known: np.ndarray, rows: np.ndarray, in_half: np.ndarray) -> Stores:
        """The stores of an attacker who holds the known raw videos (V,), and of those asked for ``in_half`` of them."""
        held = known.copy()
        held[rows] = in_half
        return replace(self.stores, held=held)

    def _attackers(
        self, stores: Stores, known: np.ndarray, rows: np.ndarray, *, wanted: set[str] | None
    ) -> Iterator[Attacker]:
        """Yield (name, probe, gallery) for the videos ``rows`` (V,), by every attacker or the wanted ones."""
        for aligned in align(stores, known):
            if wanted is None or any(name.startswith(f"{aligned.name}: ") for name in wanted):
                found = comparisons(aligned, known, self.videos.person, rows=rows, learned=self.learned)
                for name, probe, gallery in found:
                    if wanted is None or f"{aligned.name}: {name}" in wanted:
                        yield f"{aligned.name}: {name}", probe, gallery

    def _units(self, question: Question, rows: np.ndarray) -> Units:
        """The units of a question among the videos of a mask (V,)."""
        recording, action = self.videos.recording, self.videos.action
        return make_units(
            self.videos.person[rows],
            None if recording is None else recording[rows],
            action=None if action is None else action[rows],
            pairs=question[0],
            pooling=question[1],
            seed=self.seed,
            in_halves=not self.stores.is_one,
        )

    def _why_not(self, pairs: str) -> str:
        """Why the tested people of no fold have pairs of this sort; empty where some have."""
        has_recordings = self.videos.recording is not None
        reasons = [
            why_no_pairs(self._units((pairs, "video"), fold.test), pairs, has_recordings=has_recordings)
            for fold in self.folds
        ]
        return "" if "" in reasons else reasons[0]


def _by_sort(units: Mapping[Question, Units]) -> Iterator[dict[Question, Units]]:
    """The questions about each sort of pair, which deal videos to halves in their own way."""
    for pairs in dict.fromkeys(question[0] for question in units):
        yield {question: own for question, own in units.items() if question[0] == pairs}


def _score(units: Units, sides: Sequence[Attacker]) -> np.ndarray:
    """How alike all units are, (U, U); of two sides, each looks in its own half of the gallery."""
    scores = []
    for _, probe, gallery in sides:
        pooled = units.means(probe)
        scores.append(cosines(pooled, pooled if probe is gallery else units.means(gallery)))
    return scores[0] if len(scores) == 1 else np.where(units.half == 0, *scores)


def _grade(pairs: PairScores, units: Units) -> np.ndarray:
    """How far the area is above a half, and the share accepted at a false accept rate of 1 %: (2,).

    Where the area is below a half, both are of the attacker turned round, and negative.
    """
    ones = np.ones((1, len(units.person)))
    curve = pairs.curves(ones)
    excess = float(curve.auc[0]) - 0.5
    if excess >= 0:
        return np.array([excess, float(curve.true_accept_at(SELECTION_RATE)[0])])
    turned = replace(pairs, score=-pairs.score).curves(ones)
    return np.array([excess, -float(turned.true_accept_at(SELECTION_RATE)[0])])
