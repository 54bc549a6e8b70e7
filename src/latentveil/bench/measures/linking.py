"""Linkability: whether two videos of strangers can be told to show one person, within and across recordings."""

from __future__ import annotations

import numpy as np

from latentveil.auditing.recipients import find_recipient
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.bench.scores import Score
from latentveil.labels import Labels
from latentveil.types import FeatureSet

RECIPIENT = "labels"  # holds the features, and labels of other people to learn from
GUESSED_AREA = 0.5


def linking_scores(
    safe: FeatureSet, raw: FeatureSet, labels: Labels, *, kind: str, seed: int
) -> dict[str, Score]:
    """The area under the ROC curve of the best attacker, and how often it finds the person first, by sort of pair."""
    chosen = np.isin(raw.video, labels.video)
    found = measure_linkability(
        raw.select(chosen),
        safe.select(chosen),
        labels,
        kind=kind,
        recipient=find_recipient(RECIPIENT),
        seed=seed,
    )
    scores = {}
    for pairs, links in found.anonymized.items():
        if links.video is None:
            continue
        where = pairs.replace("_", " ")
        for name, interval, chance in (
            ("linking", links.video.auc, GUESSED_AREA),
            ("found first", links.video.rank1, links.video.rank1_chance),
        ):
            scores[f"{name}, {where}"] = Score.of(
                interval,
                "low",
                chance=chance,
                by=", ".join(dict.fromkeys(links.video.attacks)),
                people=links.video.num_people,
            )
    return scores
