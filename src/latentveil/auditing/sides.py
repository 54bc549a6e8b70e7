"""How an attacker may look at the features of a fold: as they are, or less what the videos of each recording share."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latentveil.attacks.base import Attack, AttackerKnowledge, VideoAnswers
from latentveil.auditing.arena import Arena
from latentveil.auditing.risks.alignment import centred
from latentveil.auditing.risks.recordings import apart_from_known, each_changed, is_clearly_more
from latentveil.auditing.splits import Fold
from latentveil.labels import IDENTITY, Labels

RECORDINGS_CENTRED = {"recordings": "centred"}  # what a setting says of such an answer


@dataclass(frozen=True, eq=False)
class Side:
    """What is known in a fold, and the clips ``feature`` (N, D) of the videos ``video`` (N,) that are asked about."""

    knowledge: AttackerKnowledge
    feature: np.ndarray
    video: np.ndarray


def sides_of(
    arena: Arena, labels: Labels, fold: Fold, secret: str, *, shared_raw: AttackerKnowledge | None = None
) -> list[Side]:
    """The features as they are; then with recordings centred, where people are asked about in other ones than known.

    Attributes are asked of strangers, whose recordings may differ by who is in them: only identity is looked at so.
    ``shared_raw`` is the raw side of the first where that is there already.
    """
    found = [_side(arena, fold, shared_raw)]
    if secret in (IDENTITY, "person"):
        places = _places_of_clips(arena, labels, fold)
        if places is not None:
            found.append(_side(arena.changed(lambda feature: _centred(feature, places)), fold))
    return found


def answer(attack: Attack, sides: Sequence[Side], *, seed: int) -> VideoAnswers:
    """What an attack answers, recordings centred where it may unless validation is clearly better as it is."""
    as_is, *others = (attack.run(side.knowledge, side.feature, side.video, seed=seed) for side in sides)
    for other in others:
        if as_is.validation_score is None or other.validation_score is None:
            continue
        count = len(np.unique(sides[0].knowledge.validation.video))
        if not is_clearly_more(as_is.validation_score[0], other.validation_score[0], count=count):
            return replace(other, setting=other.setting | RECORDINGS_CENTRED)
    return as_is


def _side(arena: Arena, fold: Fold, shared_raw: AttackerKnowledge | None = None) -> Side:
    test = arena.rows(fold.test)
    knowledge = arena.knowledge(fold, shared_raw=shared_raw)
    return Side(knowledge, arena.features.feature[test], arena.features.video[test])


def _places_of_clips(arena: Arena, labels: Labels, fold: Fold) -> np.ndarray | None:
    """The recordings (N,) of the arena's clips as ``apart_from_known`` has them, blank for videos of no part."""
    labels = labels.only(np.array([*fold.train, *fold.validation, *fold.test]))
    person, asked = labels.column(IDENTITY), np.isin(labels.video, fold.test)
    places = apart_from_known(labels.recording, person, asked)
    if places is None:
        return None
    place_of = dict(zip(labels.video.tolist(), places.tolist()))
    return np.array([place_of.get(video, "") for video in arena.raw.video.tolist()])


def _centred(feature: np.ndarray, places: np.ndarray) -> np.ndarray:
    """The features (N, D), of each of ``places`` (N,) less their mean, which is taken in float64."""
    return each_changed(feature, places, lambda rows, held: centred(rows.astype(np.float64), held))
