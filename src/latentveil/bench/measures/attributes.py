"""Private attributes of strangers in stills or clips: by the papers' graders, and by our best attacks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from latentveil.attacks.base import Attack
from latentveil.auditing.answers import AVERAGE_PRECISION, attack_secret
from latentveil.bench.counted import counted
from latentveil.bench.graders import GRADERS, Attributes
from latentveil.bench.graders.cmap import cmap
from latentveil.bench.graders.spact_f1 import spact_f1
from latentveil.bench.scores import Score
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.metrics.classification import average_precision
from latentveil.metrics.intervals import Halves, WeightedStatistic
from latentveil.types import STATIC, FeatureSet

BEST_ATTACK = "attributes, best attack"
HALF_A_MILLISECOND = 0.0005  # times of frames are rounded


def grader_column(grader: str, measure: str = "cMAP") -> str:
    """The heading of what a grader found."""
    return f"attributes, {grader} grader's {measure}"


def graded_scores(
    safe: FeatureSet,
    labels: Labels,
    attributes: Sequence[str],
    *,
    graders: Sequence[str],
    kind: str = STATIC,
    seed: int,
    events: Mapping[str, Sequence[Segment]] | None = None,
) -> dict[str, Score]:
    """cMAP and F1 of graders that learn from training and validation people and are read on test people.

    Stills with an unknown attribute are left out. Where ``events`` say when an attribute holds in a video, each still
    has what holds at its time.
    """
    stills = safe.of_kind(kind)
    stills = stills.select(np.isin(stills.video, labels.video))
    values = np.stack([labels.lookup(name, stills.video) for name in attributes], axis=1)  # (N, C)
    values = in_frames(values, stills, attributes, events or {})
    wrong = sorted(set(values.ravel().tolist()) - {"0", "1", ""})
    if wrong:
        raise InputError(f"attributes must be 0, 1 or blank, got {wrong[0]!r}. Name other secrets.")
    known = (values != "").all(axis=1)
    is_test = labels.lookup("split", stills.video) == "test"
    train, test = (
        Attributes(stills.feature[rows], (values[rows] == "1").astype(np.int64))
        for rows in (known & ~is_test, known & is_test)
    )
    if not len(train.target) or not len(test.target):
        raise InputError(
            f"attributes must be known of stills to learn from and to test on, got {len(train.target)} and "
            f"{len(test.target)}. Fill in {', '.join(attributes)}."
        )
    videos = np.unique(stills.video[known & is_test])
    people = labels.groups[labels.places(stills.video[known & is_test])]
    behind = counted(labels, videos)
    found = {}
    for name in graders:
        logits = GRADERS.get(name).grade(train, test, seed=seed).logits
        column = grader_column(name)
        chance = float(test.target.mean(axis=0)[test.target.any(axis=0)].mean())
        halves = Halves.of_mean(
            [(precision_of(test.target[:, c], logits[:, c]), people) for c in range(logits.shape[1])]
        )
        score = Score(cmap.value(test.target, logits), "low", chance=chance, by=f"grader {name}", **behind)
        found[column] = score.with_halves(halves)
        f1 = spact_f1.value(test.target, logits)
        found[grader_column(name, "F1")] = Score(f1, "low", by=f"grader {name}", **behind)
    return found


def in_frames(
    values: np.ndarray,
    stills: FeatureSet,
    attributes: Sequence[str],
    events: Mapping[str, Sequence[Segment]],
) -> np.ndarray:
    """The values (N, C) of stills, those of their frame where events ``attribute=value`` of their video tell them.

    A frame of which an attribute's events tell nothing has a blank; a still whose time is not known has its video's.
    """
    if not events:
        return values
    found = values.astype(object)
    for column, name in enumerate(attributes):
        told = {
            video: [(one, one.label.partition("=")[2]) for one in ranges if one.label.startswith(f"{name}=")]
            for video, ranges in events.items()
        }
        for row, (video, time) in enumerate(zip(stills.video.tolist(), stills.time.tolist())):
            if told.get(video) and math.isfinite(time):
                now = time + HALF_A_MILLISECOND
                inside = [value for one, value in told[video] if one.start_seconds <= now < one.end_seconds]
                found[row, column] = inside[0] if inside else ""
    return found.astype(str)


def attacked_score(
    copies: Sequence[FeatureSet],
    raw: FeatureSet,
    labels: Labels,
    attributes: Sequence[str],
    *,
    attacks: str | Sequence[str | Attack],
    kind: str = STATIC,
    seed: int,
) -> Score:
    """The mean over attributes of what the best attack reaches; ``copies`` are the features, then redrawn ones."""
    chosen = np.isin(raw.video, labels.video)
    safe, *redrawn = (copy.select(chosen) for copy in copies)
    values, chances, best, videos, parts = [], [], [], set(), []
    for name in attributes:
        answers = attack_secret(
            safe,
            raw.select(chosen),
            labels,
            name,
            kind=kind,
            attacks=attacks,
            seed=seed,
            redrawn=redrawn,
        )
        if answers.metric != AVERAGE_PRECISION:
            raise InputError(f"attributes must have two values, got more for {name!r}. Name other secrets.")
        values.append(answers.value(answers.best_attack))
        chances.append(answers.chance)
        best.append(answers.best_attack)
        parts.append((answers.statistic(answers.best_attack), answers.group))
        videos |= set(answers.video.tolist())
    return Score(
        float(np.mean(values)),
        "low",
        chance=float(np.mean(chances)),
        by=", ".join(dict.fromkeys(best)),
        **counted(labels, sorted(videos)),
    ).with_halves(Halves.of_mean(parts))


def precision_of(target: np.ndarray, score: np.ndarray) -> WeightedStatistic:
    """Average precision of scores (N,) for targets (N,) of 0 and 1, in the form that intervals ask for."""
    return lambda weights: np.asarray(average_precision(target, score, weights))
