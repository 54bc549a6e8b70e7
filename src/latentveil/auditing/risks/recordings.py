"""What all videos of a recording share is taken away, so that videos of different places and days can be compared.

An attacker is taken to know of every video which recording it is of, where the labels have that column: files of one
day lie in one folder. Whoever knows people from one day, and is asked about another, knows their looks and not the new
place: less its mean, each day shows the same people alike. Known videos show no such change, so validation on them says
little; a recording is centred unless validation clearly speaks against it.

A recording's mean also holds the people that it shows. Where these are few, and other ones than before, centring takes
away the people themselves, and nobody centres.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from latentveil.auditing.risks.pairs import UNKNOWN

# Rows (N, K) -> rows (N, K), learned from those rows that a mask (N,) holds, or from all.
ChangeByHeld = Callable[[np.ndarray, np.ndarray | None], np.ndarray]

# Centring may move videos of different recordings apart by this share of the variance between people, not by more.
MOST_TAKEN = 0.1
# Standard errors of a difference between two shares of validation videos.
CLEARLY = 2.0


def shared_recordings(recording: np.ndarray | None, person: np.ndarray) -> np.ndarray | None:
    """The recordings (V,), blank where one shows a single ``person`` (V,).

    Less its mean, such a recording's videos sum to nothing: they would be linked whatever they show.
    """
    if recording is None:
        return None
    names, number = np.unique(recording, return_inverse=True)
    people = [len(np.unique(person[number == one])) for one in range(len(names))]
    return np.where(np.array(people)[number] > 1, recording, UNKNOWN)


def each_changed(
    feature: np.ndarray, recording: np.ndarray, change: ChangeByHeld, *, held: np.ndarray | None = None
) -> np.ndarray:
    """Rows (N, K), those of each ``recording`` (N,) changed by themselves; zeros where none of its rows is ``held``.

    Rows of no recording are changed as all rows together are.
    """
    changed = np.empty_like(feature)
    blank = recording == UNKNOWN
    if blank.any():
        changed[blank] = change(feature, held)[blank]
    for one in np.unique(recording[~blank]):
        rows = recording == one
        has_some = held is None or held[rows].any()
        changed[rows] = change(feature[rows], None if held is None else held[rows]) if has_some else 0.0
    return changed


def apart_from_known(
    recording: np.ndarray | None, person: np.ndarray, asked: np.ndarray
) -> np.ndarray | None:
    """The recordings (V,) to centre where ``asked`` (V,) videos are of others than the known ones; None elsewhere.

    Those of asked videos are told from those of known videos: centred together, two videos of one recording would be
    less alike than two of different ones, whatever they show, and turned round that names the recording. Nobody centres
    unless most of the asked videos are of recordings of which none is known, and which show several people.
    """
    if recording is None:
        return None
    sided = np.where(asked, np.char.add("asked ", recording), np.char.add("known ", recording))
    places = shared_recordings(np.where(recording == UNKNOWN, UNKNOWN, sided), person)
    assert places is not None
    is_new = (places != UNKNOWN) & ~np.isin(recording, recording[~asked])
    if is_new[asked].mean() <= 0.5 or share_taken(places, person, asked) > MOST_TAKEN:
        return None
    return places


def share_taken(places: np.ndarray, person: np.ndarray, asked: np.ndarray) -> float:
    """How far centring of ``places`` (V,) moves known and ``asked`` (V,) videos apart by who is in them.

    The mean over pairs, as a share of the variance between people: 0 where all places show the same people equally
    often, 1 where each shows two people of its own. It is that of sum_p (c_p - k_p) s_p for independent people s_p,
    where c_p and k_p are the shares of two places' videos that show a ``person`` (V,).
    """
    place = np.unique(places, return_inverse=True)[1]
    number = np.unique(person, return_inverse=True)[1]
    cast = np.zeros((place.max() + 1, number.max() + 1))
    np.add.at(cast, (place, number), 1)
    cast /= cast.sum(axis=1, keepdims=True)
    sides = [np.bincount(place[rows], minlength=len(cast)) / rows.sum() for rows in (asked, ~asked)]  # (R,)
    own = sum(float(side @ np.square(cast).sum(axis=1)) for side in sides)
    return own - 2 * float((sides[0] @ cast) @ (sides[1] @ cast))


def is_clearly_more(one: float, other: float, *, count: int) -> bool:
    """Whether the share ``one`` of ``count`` videos is larger than the ``other`` by more than luck."""
    error = np.sqrt((one * (1 - one) + other * (1 - other)) / count)
    return bool(one - other > CLEARLY * error)
