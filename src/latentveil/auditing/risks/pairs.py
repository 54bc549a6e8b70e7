"""What is compared with what: single videos or pooled ones, within a recording, across recordings, or any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.results.risks import OTHER_RECORDING, SAME_RECORDING

POOLINGS = ("video", "pooled")
UNKNOWN = ""


@dataclass(frozen=True, eq=False)
class Units:
    """The things compared: ``unit_of_video`` (V,), and for each unit (U,) its ``person``, ``recording``, ``half``.

    ``half`` is -1 for units that hold no half: units of different halves are compared only with each other.
    """

    unit_of_video: np.ndarray
    person: np.ndarray
    recording: np.ndarray
    half: np.ndarray

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
        return allowed


def make_units(
    person: np.ndarray, recording: np.ndarray | None, *, pairs: str, pooling: str, seed: int
) -> Units:
    """The units for one sort of pair; ``person`` and ``recording`` (V,), the latter None where it is not known.

    Pooled, all of a person's videos of one recording are one unit to be found in another recording; otherwise a
    person's videos (of the recording) are dealt to two halves, and one half is to be found among the others' halves.
    """
    place = np.full(len(person), UNKNOWN) if recording is None else recording.astype(str)
    if pooling == "video":
        return Units(np.arange(len(person)), person, place, np.full(len(person), -1))
    kept_apart = place if pairs in (SAME_RECORDING, OTHER_RECORDING) else np.full(len(person), UNKNOWN)
    half = np.full(len(person), -1)
    if pairs != OTHER_RECORDING:
        half = _halves(person, kept_apart, np.random.default_rng(seed))
    _, first, unit = np.unique(
        np.stack([person.astype(str), kept_apart, half.astype(str)]),
        axis=1,
        return_index=True,
        return_inverse=True,
    )
    return Units(unit.reshape(-1), person[first], kept_apart[first], half[first])


def _halves(person: np.ndarray, place: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """Half 0 or 1 for each video (V,), drawn for each person and place so that both hold as many."""
    half = np.zeros(len(person), dtype=int)
    _, group = np.unique(np.stack([person.astype(str), place]), axis=1, return_inverse=True)
    group = group.reshape(-1)
    for number in range(group.max() + 1):
        members = random.permutation(np.flatnonzero(group == number))
        half[members] = np.arange(len(members)) % 2
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
