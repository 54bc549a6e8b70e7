"""What is compared with what: single videos or pooled ones, within a recording, across recordings, or any.

Where everybody shows every action once, two videos of one person never show the same action, and two halves of their
videos complete each other: people could be told by what is done, not by who does it. So actions are dealt to halves
alike for everybody, and pairs that show the same action are left out where nobody has such pairs of their own.

An attacker who holds raw videos holds those of one half, and looks for the people of the other half.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.results.risks import OTHER_RECORDING, SAME_RECORDING

POOLINGS = ("video", "pooled")
UNKNOWN = ""


@dataclass(frozen=True, eq=False)
class Units:
    """The things compared: ``unit_of_video`` (V,), and for each unit (U,) its ``person``, ``recording``, ``half``.

    ``half`` is -1 for units that hold no half: units of different halves are compared only with each other. ``action``
    (U,) is what single videos show, blank where it is not known.
    """

    unit_of_video: np.ndarray
    person: np.ndarray
    recording: np.ndarray
    half: np.ndarray
    action: np.ndarray

    def means(self, values: np.ndarray) -> np.ndarray:
        """The mean of each unit's videos, (V, K) -> (U, K)."""
        if len(self.person) == len(self.unit_of_video):
            return values[np.argsort(self.unit_of_video)]
        counts = np.bincount(self.unit_of_video)
        in_order = values[np.argsort(self.unit_of_video, kind="stable")]
        return np.add.reduceat(in_order, np.cumsum(counts) - counts, axis=0) / counts[:, None]

    @property
    def same(self) -> np.ndarray:
        """Whether two units are of one person, (U, U)."""
        return self.person[:, None] == self.person

    def candidates(self, pairs: str) -> np.ndarray:
        """Which two units are compared, (U, U) and symmetric: never one with itself.

        Within recordings, only in those of two people or more: elsewhere the recording gives the person away.
        """
        allowed = ~np.eye(len(self.person), dtype=bool)
        allowed &= (self.half[:, None] != self.half) | (self.half < 0)
        if pairs in (SAME_RECORDING, OTHER_RECORDING):
            known = self.recording != UNKNOWN
            alike = self.recording[:, None] == self.recording
            if pairs == SAME_RECORDING:
                known = known & (alike & ~self.same).any(axis=1)
            allowed &= known[:, None] & known & (alike if pairs == SAME_RECORDING else ~alike)
        return self._without_telling_actions(allowed)

    def _without_telling_actions(self, allowed: np.ndarray) -> np.ndarray:
        """The pairs (U, U) less those of one action, where no two of them are of one person."""
        alike = (self.action[:, None] == self.action) & (self.action != UNKNOWN)
        return allowed if (allowed & alike & self.same).any() else allowed & ~alike


def make_units(
    person: np.ndarray,
    recording: np.ndarray | None,
    *,
    action: np.ndarray | None = None,
    pairs: str,
    pooling: str,
    seed: int,
    in_halves: bool = False,
) -> Units:
    """The units for one sort of pair; ``person``, ``recording`` and ``action`` (V,), None where they are not known.

    Pooled, all of a person's videos of one recording are one unit to be found in another recording; otherwise a
    person's videos (of the recording) are dealt to two halves, and one half is to be found among the others' halves.
    ``in_halves`` deals also single videos and whole recordings to halves.
    """
    unknown = np.full(len(person), UNKNOWN)
    place = unknown if recording is None else recording.astype(str)
    shown = unknown if action is None else action.astype(str)
    kept_apart = place if pairs in (SAME_RECORDING, OTHER_RECORDING) else unknown
    half, random = np.full(len(person), -1), np.random.default_rng(seed)
    if pairs == OTHER_RECORDING and in_halves:
        half = _halves_of_recordings(person, place, random)
    elif pairs != OTHER_RECORDING and (in_halves or pooling == "pooled"):
        half = _halves(person, kept_apart, shown, random)
    if pooling == "video":
        return Units(np.arange(len(person)), person, place, half, shown)
    _, first, unit = np.unique(
        np.stack([person.astype(str), kept_apart, half.astype(str)]),
        axis=1,
        return_index=True,
        return_inverse=True,
    )
    return Units(
        unit.reshape(-1), person[first], kept_apart[first], half[first], np.full(len(first), UNKNOWN)
    )


def _halves(
    person: np.ndarray, place: np.ndarray, action: np.ndarray, random: np.random.Generator
) -> np.ndarray:
    """Half 0 or 1 for each video (V,): by its action, the same for everybody.

    Drawn for each person and place, so that both halves hold as many, where actions are not known or all of somebody's
    fall to one half.
    """
    names, number = np.unique(action, return_inverse=True)
    half = (random.permutation(len(names)) % 2)[number]
    _, group = np.unique(np.stack([person.astype(str), place]), axis=1, return_inverse=True)
    group = group.reshape(-1)
    for one in range(group.max() + 1):
        members = random.permutation(np.flatnonzero(group == one))
        if (action[members] == UNKNOWN).any() or len(np.unique(half[members])) < 2:
            half[members] = np.arange(len(members)) % 2
    return half


def _halves_of_recordings(person: np.ndarray, place: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Half 0 or 1 for each video (V,): each person's recordings are dealt out in turn."""
    half = np.zeros(len(person), dtype=np.int64)
    for one in np.unique(person):
        own = person == one
        names, number = np.unique(place[own], return_inverse=True)
        half[own] = (random.permutation(len(names)) % 2)[number]
    return half


def why_no_pairs(units: Units, pairs: str, *, has_recordings: bool) -> str:
    """Why nothing can be measured, in plain words; empty where it can."""
    if pairs in (SAME_RECORDING, OTHER_RECORDING) and not has_recordings:
        return "the labels have no column 'recording'"
    allowed = units.candidates(pairs)
    if (allowed & units.same).any() and (allowed & ~units.same).any():
        return ""
    return {
        SAME_RECORDING: "nobody who is tested was filmed twice in a recording that also shows somebody else",
        OTHER_RECORDING: "nobody who is tested was filmed in two recordings",
    }.get(pairs, "nobody who is tested was filmed twice")
