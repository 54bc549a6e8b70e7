"""Which answers about test videos were right: of classifiers of actions, and of attackers after the secrets."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.pixels.clips import GradedClips
from latentveil.bench.pixels.kept import KeptAnswers, Right
from latentveil.bench.pixels.readers import Reader, ReaderShape, either_way, train_reader
from latentveil.bench.pixels.recognizers import I3D, network_hits, probe_logits
from latentveil.bench.scores import Better, Score
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, Halves, interval_over_groups, mean_of

LINEAR = "secrets, linear"  # the attack that every row has, also one that has no video
SCRATCH = "scratch"  # an attacker that starts from nothing
APART = 1000  # how far the seeds of several such attackers are apart, so that no two runs share them
IN_WORDS = {
    SCRATCH: "secrets, from scratch",
    "raw": "secrets, trained on raw",
    "tuned": "secrets, tuned from raw",
}


@dataclass(frozen=True, eq=False)
class Answers:
    """``right`` (N,) for each question about the test videos of these ``labels``, and what guessing gives."""

    labels: Labels
    right: Mapping[str, np.ndarray]
    chance: float
    better: Better
    by: str

    def score(self) -> Score:
        """The mean over questions and videos, with its interval over people and its values on halves of them."""
        each = np.stack(list(self.right.values())).astype(np.float64).mean(axis=0)  # (N,)
        people = self.labels.groups[self.labels.split == "test"]
        interval = interval_over_groups(mean_of(each), people, seed=0, limits=SHARE)
        return Score.of(
            interval,
            self.better,
            chance=self.chance,
            by=self.by,
            people=len(set(people.tolist())),
            videos=len(each),
            halves=Halves.of(mean_of(each), people),
        )

    def some(self, names: Sequence[str]) -> Answers:
        """The answers to some of the questions."""
        return Answers(
            self.labels,
            {name: self.right[name] for name in names},
            _chance(self.labels, names),
            self.better,
            self.by,
        )


Hits = dict[str, Answers]


def mean_right(found: Sequence[Right]) -> Right:
    """How many of several readers are right about each test video, as a share (N,), for each question."""
    return {name: np.mean([right[name] for right in found], axis=0) for name in found[0]}


def action_hits(
    features: np.ndarray,
    raw: GradedClips,
    clips: GradedClips | None,
    *,
    recognizers: Sequence[str],
    cut: ActionCut,
    seed: int,
    kept: KeptAnswers,
) -> Hits:
    """What f_T' of each network recognises; without ``clips`` there are only features (V, D), and the one of I3D.

    Where f_A has not seen all actions, seen and novel ones are told apart, each with classifiers of their own.
    """
    parts = {"actions": np.ones(len(features), dtype=bool)}
    if cut.is_split:
        seen = np.isin(raw.labels.column("action"), cut.seen)
        parts = {"seen actions": seen, "novel actions": ~seen}
    found: Hits = {}
    for name, chosen in parts.items():
        labels = raw.labels.only(raw.labels.video[chosen])
        for network in recognizers:
            if network != I3D and clips is None:
                continue
            shown = features[chosen] if network == I3D or clips is None else clips.pictures[chosen]
            right = kept.find(
                [network, shown, labels, seed], partial(_action_hits, network, shown, labels, seed)
            )
            column = name if len(recognizers) == 1 else f"{name}, {network}"
            found[column] = Answers(labels, right, _chance(labels, ["action"]), "high", network)
    return found


def _action_hits(network: str, shown: np.ndarray, labels: Labels, seed: int) -> Right:
    """What f_T' of a network recognises in features (V, D) for I3D, or in pictures (V, T, S, S, 3)."""
    if network != I3D:
        return {"action": network_hits(network, GradedClips(shown, labels), seed=seed)}
    targets = np.unique(labels.column("action"), return_inverse=True)[1]
    _, said = probe_logits(shown, targets, labels, seed=seed)
    return {"action": said.argmax(axis=1) == targets[labels.split == "test"]}


@dataclass
class Attackers:
    """Everyone who reads secrets: a linear probe on features, and f_B' of some ``shapes`` and ``starts``.

    Those that are trained on raw video are trained once for all rows of a seed. Of those that start from nothing, whose
    luck moves what they find, ``num_fresh`` are trained, and their mean counts. What they answered before is ``kept``.
    """

    raw: GradedClips
    secrets: Sequence[str]
    shapes: Sequence[ReaderShape]
    starts: Sequence[str]
    seed: int
    kept: KeptAnswers
    num_fresh: int = 1
    on_raw: dict[str, Reader] = field(default_factory=dict)

    def hits(self, features: np.ndarray, clips: GradedClips | None) -> Hits:
        """What they find in features (V, D), and in ``clips`` where there are some."""
        about = [self.raw.labels, tuple(self.secrets), self.seed]
        linear = self.kept.find([LINEAR, features, *about], lambda: self._linear(features))
        found = {LINEAR: self._answers(linear, "a linear probe on I3D features")}
        for shape in self.shapes if clips is not None else ():
            assert clips is not None
            for start in self.starts:
                right = mean_right(list(self._found(start, shape, clips, about)))
                column = IN_WORDS[start] if len(self.shapes) == 1 else f"{IN_WORDS[start]}, {shape.name}"
                found[column] = self._answers(right, shape.name)
        return found

    def _found(
        self, start: str, shape: ReaderShape, clips: GradedClips, about: Sequence[object]
    ) -> Iterator[Right]:
        """What each f_B' of this start finds: several that start from nothing, else one."""
        knows = [] if start == SCRATCH else [self.raw.pictures]
        asked = [start, shape, clips.pictures, *knows, *about]
        yield self.kept.find(asked, lambda: self._reader(start, shape, clips).hits(clips))
        for number in range(1, self.num_fresh if start == SCRATCH else 1):
            yield self.kept.find([*asked, number], partial(self._another, shape, clips, number))

    def _another(self, shape: ReaderShape, clips: GradedClips, number: int) -> Right:
        """What the ``number``-th f_B' that starts from nothing finds, with random numbers of its own."""
        return train_reader(clips, self.secrets, shape, seed=self.seed + number * APART).hits(clips)

    def _reader(self, start: str, shape: ReaderShape, clips: GradedClips) -> Reader:
        if start == SCRATCH:
            return train_reader(clips, self.secrets, shape, seed=self.seed)
        if shape.name not in self.on_raw:
            self.on_raw[shape.name] = train_reader(self.raw, self.secrets, shape, seed=self.seed)
        known = self.on_raw[shape.name]
        if start == "raw":
            return known
        return train_reader(clips, self.secrets, shape, seed=self.seed, start=known)

    def _linear(self, features: np.ndarray) -> Right:
        val, test = self.raw.rows("val"), self.raw.rows("test")
        found = {}
        for secret in self.secrets:
            truth = self.raw.classes(secret)
            seen, said = probe_logits(features, truth, self.raw.labels, seed=self.seed)
            found[secret] = either_way(seen, said, truth, val=val, test=test)
        return found

    def _answers(self, right: Mapping[str, np.ndarray], by: str) -> Answers:
        return Answers(self.raw.labels, right, _chance(self.raw.labels, self.secrets), "low", by)


def scores_of(hits: Hits, *, seen_secrets: Sequence[str]) -> dict[str, Score]:
    """The score of every column; secrets that f_A was trained on and novel ones apart, where there are such."""
    found: dict[str, Score] = {}
    for column, answers in hits.items():
        if answers.better == "high" or not seen_secrets:
            found[column] = answers.score()
            continue
        known = [name for name in answers.right if name in seen_secrets]
        novel = [name for name in answers.right if name not in seen_secrets]
        found[f"seen {column}"] = answers.some(known).score()
        found[f"novel {column}"] = answers.some(novel).score()
    return found


def _chance(labels: Labels, columns: Sequence[str]) -> float:
    """The share of test videos that are right by always saying the most frequent class, mean over columns."""
    test = labels.split == "test"
    shares = [np.unique(labels.column(name)[test], return_counts=True)[1].max() for name in columns]
    return float(np.mean(shares) / test.sum())
