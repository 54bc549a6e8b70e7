"""Linkability: whether two videos of strangers can be told to show one person, within and across recordings."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latentveil.auditing.recipients import find_recipient
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.auditing.risks.people import people_folds
from latentveil.auditing.risks.videos import PeopleVideos
from latentveil.bench.counted import Counted, counted
from latentveil.bench.scores import Score
from latentveil.labels import Labels
from latentveil.results.risks import Links, LinkScore
from latentveil.types import FeatureSet, Interval

RECIPIENT = "labels"  # holds the features, and labels of other people to learn from
GUESSED_AREA = 0.5


@dataclass(frozen=True)
class Linking:
    """The scores of linking by column, and why the data do not allow others."""

    scores: dict[str, Score]
    unmeasured: dict[str, str]


def measure_linking(safe: FeatureSet, raw: FeatureSet, labels: Labels, *, kind: str, seed: int) -> Linking:
    """The area under the ROC curve of the best attacker, and how often it finds the person first, by sort of pair."""
    chosen = np.isin(raw.video, labels.video)
    before, after = raw.select(chosen), safe.select(chosen)
    found = measure_linkability(
        before, after, labels, kind=kind, recipient=find_recipient(RECIPIENT), seed=seed
    )
    behind = _counted(PeopleVideos.gather(before, after, labels, kind=kind), labels, seed=seed)
    scores, unmeasured = {}, {}
    for pairs, links in found.anonymized.items():
        where = pairs.replace("_", " ")
        if links.video is None:
            unmeasured[f"linking, {where}"] = links.why_not
            continue
        for name, score, interval, chance in _columns(links):
            scores[f"{name}, {where}"] = Score.of(
                interval,
                "low",
                chance=chance,
                by=", ".join(dict.fromkeys(score.attacks)),
                people=score.num_people,
                videos=behind["videos"],
                recordings=behind["recordings"],
            )
    return Linking(scores, unmeasured)


def _columns(links: Links) -> Iterator[tuple[str, LinkScore, Interval, float]]:
    """Yield (name, score, value, guessing) of a sort of pair: single videos, and halves of a person's videos pooled."""
    if links.video is not None:
        yield "linking", links.video, links.video.auc, GUESSED_AREA
        yield "found first", links.video, links.video.rank1, links.video.rank1_chance
    if links.pooled is not None:
        yield "linking pooled", links.pooled, links.pooled.auc, GUESSED_AREA


def _counted(videos: PeopleVideos, labels: Labels, *, seed: int) -> Counted:
    """How many videos and recordings show the people who are linked."""
    folds = people_folds(videos.person, videos.split, seed=seed)
    return counted(labels, videos.video[np.any([fold.test for fold in folds], axis=0)])
