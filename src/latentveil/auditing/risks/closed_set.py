"""Attackers that name one of several known people: the nearest of them, or turned round the farthest, in some space."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from latentveil.auditing.risks.alignment import AS_IS, Aligned
from latentveil.auditing.risks.comparison import comparisons, cosines
from latentveil.auditing.risks.recordings import is_clearly_more
from latentveil.auditing.risks.roles import Roles

# An attacker speaks from the margin on at which this share of validation videos was named rightly,
PRECISION = 0.9
# of at least this many that were named.
MIN_CLAIMS = 10


def best_attacker(
    ways: Sequence[Aligned], roles: Roles, known: np.ndarray, *, centred: Sequence[Aligned] = ()
) -> tuple[str, np.ndarray]:
    """The attacker that names most people's validation videos rightly, and its scores (N, P), larger for likelier.

    ``ways`` are those to look at N videos, which are compared with the known ones of the gallery: ``known`` (N,) is the
    mask of those whose person it may use. Where there are ways to look with recordings ``centred``, the best of these
    is taken, unless validation is clearly better without.
    """
    share, name, scores = _best_of(ways, roles, known)
    if centred:
        rival = _best_of(centred, roles, known)
        if not is_clearly_more(share, rival[0], count=int(roles.chosen_on.sum())):
            return rival[1:]
    return name, scores


def _best_of(ways: Sequence[Aligned], roles: Roles, known: np.ndarray) -> tuple[float, str, np.ndarray]:
    """The share that the best attacker by some ways names rightly, its name, and its scores (N, P)."""
    best: tuple[float, str, np.ndarray] | None = None
    target = roles.person[roles.chosen_on]
    for name, scores in (found for aligned in ways for found in _attackers(aligned, roles, known)):
        for turned, sign in (("", 1), (", turned round", -1)):
            right = (sign * scores[roles.chosen_on]).argmax(axis=1) == target
            share = float(np.mean(np.bincount(target, right) / np.bincount(target)))
            if best is None or share > best[0]:
                best = (share, name + turned, sign * scores)
    assert best is not None
    return best


def _attackers(aligned: Aligned, roles: Roles, known: np.ndarray) -> Iterator[tuple[str, np.ndarray]]:
    """Yield (name, scores (N, P)): cosines with each person's mean, their most similar video, and all of their videos.

    The last are squared: they see the directions in which a person's videos differ, which no mean tells.
    """
    num_videos = len(aligned.probe)
    if not aligned.centred[0].any():
        yield "nothing to compare", np.zeros((num_videos, len(roles.people)))
        return
    person = roles.person[known]
    everything = np.ones(num_videos, dtype=bool)
    way = "" if aligned.name == AS_IS else f"{aligned.name}: "
    for name, probe, gallery in comparisons(aligned, known, roles.person, rows=everything, learned=True):
        means = np.zeros((len(roles.people), gallery.shape[1]))
        np.add.at(means, person, gallery[known])
        yield f"{way}{name}, nearest mean", cosines(probe, means)
        if "people" not in name:
            similarity = cosines(probe, gallery[known])  # (N, known)
            order = np.argsort(person, kind="stable")
            starts = np.searchsorted(person[order], np.arange(len(roles.people)))
            similarity = similarity[:, order]
            yield f"{way}{name}, nearest video", np.maximum.reduceat(similarity, starts, axis=1)
            squares = np.add.reduceat(np.square(similarity), starts, axis=1)
            yield f"{way}{name}, same directions", squares / np.bincount(person)


def margins(scores: np.ndarray) -> np.ndarray:
    """How far the best of scores (N, P) is above the second best, (N,)."""
    top = np.partition(scores, -2, axis=1)[:, -2:]
    return top[:, 1] - top[:, 0]


def sure_from(scores: np.ndarray, person: np.ndarray) -> float:
    """The least margin from which on scores (N, P) named ``person`` (N,) rightly nine times in ten; else infinity."""
    margin, right = margins(scores), scores.argmax(axis=1) == person
    order = np.argsort(-margin, kind="stable")
    claims = np.arange(1, len(order) + 1)
    precise = np.cumsum(right[order]) / claims >= PRECISION
    is_last_of_equals = np.append(np.diff(margin[order]) != 0, True)
    found = np.flatnonzero(precise & (claims >= MIN_CLAIMS) & is_last_of_equals)
    return float(margin[order][found[-1]]) if len(found) else float("inf")
