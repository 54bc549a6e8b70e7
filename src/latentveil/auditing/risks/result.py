"""What was found of each risk, as plain data that goes into audit.json and comes back."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any

from latentveil.types import Interval

# Which pairs of videos are compared: by whether both are of the same place and day.
SAME_RECORDING = "same_recording"
OTHER_RECORDING = "other_recording"
ANY_RECORDING = "any_recording"
PAIRS = (SAME_RECORDING, OTHER_RECORDING, ANY_RECORDING)


@dataclass(frozen=True)
class LinkScore:
    """How well the best attacker links pairs of one sort.

    ``auc``, ``equal_error_rate`` and the shares of same-person pairs accepted where 1 % and 0.1 % of the others are
    (None where there are too few of these); ``rank1`` and ``reciprocal_rank`` of a search for the same person, each
    with what guessing gives. Every person counts the same, however many videos they have. ``attacks`` names the
    attacker that validation people chose, fold by fold.
    """

    attacks: tuple[str, ...]
    num_people: int
    num_same: int
    num_different: int
    auc: Interval
    equal_error_rate: Interval
    true_accept_at_1_percent: Interval | None
    true_accept_at_01_percent: Interval | None
    rank1: Interval
    rank1_chance: float
    reciprocal_rank: Interval
    reciprocal_rank_chance: float

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> LinkScore:
        return cls(**_fields_of(cls, data) | {"attacks": tuple(data["attacks"])})


@dataclass(frozen=True)
class Links:
    """The pairs of one sort, video by video and pooled over half of a person's videos; or why there is nothing."""

    video: LinkScore | None = None
    pooled: LinkScore | None = None
    why_not: str = ""

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Links:
        video, pooled = (
            LinkScore.from_dict(data[name]) if data[name] else None for name in ("video", "pooled")
        )
        return cls(video, pooled, data["why_not"])


@dataclass(frozen=True)
class Linkability:
    """Whether two records can be told to belong to one person, by sort of pair (``PAIRS``).

    ``raw`` links raw videos, ``anonymized`` anonymized ones, ``raw_to_anonymized`` the one to the other: None for a
    recipient who has no raw videos of the people looked for.
    """

    recipient: str
    raw: dict[str, Links]
    anonymized: dict[str, Links]
    raw_to_anonymized: dict[str, Links] | None = None

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> Linkability:
        modes = {
            name: {pairs: Links.from_dict(links) for pairs, links in data[name].items()}
            for name in ("raw", "anonymized", "raw_to_anonymized")
            if data[name] is not None
        }
        return cls(recipient=data["recipient"], **modes)


@dataclass(frozen=True)
class KnownVideos:
    """Naming people of whom ``known`` videos each are known (None: all that are not asked about).

    ``top1`` is the share of videos named rightly; ``singled_out`` the share of people of whom a video is named rightly
    by an attacker who speaks only when 90 % sure; ``precision`` how often it was right then, None if it never spoke.
    """

    known: int | None
    attacks: tuple[str, ...]
    top1: Interval
    singled_out: Interval
    precision: float | None

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> KnownVideos:
        return cls(**_fields_of(cls, data) | {"attacks": tuple(data["attacks"])})


@dataclass(frozen=True)
class SinglingOut:
    """Whether somebody can be named among ``num_people`` known people, by how many of their videos are known."""

    num_people: int
    num_videos: int
    num_draws: int
    chance: float
    raw: tuple[KnownVideos, ...]
    anonymized: tuple[KnownVideos, ...]

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> SinglingOut:
        curves = {
            name: tuple(KnownVideos.from_dict(point) for point in data[name])
            for name in ("raw", "anonymized")
        }
        return cls(**data | curves)


@dataclass(frozen=True)
class PeopleInference:
    """How often an attribute is guessed rightly, person by person, all classes taken as equally frequent.

    ``average`` is the mean over people; ``worst`` the share for the person guessed best, beside ``worst_by_luck``, what
    the best of so many would reach by guessing; ``by_group`` the mean over the people of each group.
    """

    secret: str
    attack: str
    num_people: int
    chance: float
    average: Interval
    worst: float
    worst_by_luck: float
    by_group: dict[str, Interval]

    def to_dict(self) -> dict[str, Any]:
        return _plain(self)

    @classmethod
    def from_dict(cls, data: dict[str, Any]) -> PeopleInference:
        groups = {name: interval_from_dict(found) for name, found in data["by_group"].items()}
        return cls(**_fields_of(cls, data) | {"by_group": groups})


def interval_from_dict(data: dict[str, float | None]) -> Interval:
    """The interval that ``Interval.to_dict`` wrote; what JSON could not hold is NaN."""
    value, low, high = (math.nan if (end := data[name]) is None else end for name in ("value", "low", "high"))
    return Interval(value, low, high)


def _plain(value: Any) -> Any:
    """Dataclasses, intervals, tuples and dictionaries as JSON knows them."""
    if isinstance(value, Interval):
        return value.to_dict()
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value]
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    return value


def _fields_of(cls: Any, data: dict[str, Any]) -> dict[str, Any]:
    """The entries of ``data`` for a dataclass, its intervals restored."""
    found = {field.name: data[field.name] for field in fields(cls)}
    is_interval = {field.name for field in fields(cls) if str(field.type).startswith("Interval")}
    return {
        name: interval_from_dict(value) if name in is_interval and value is not None else value
        for name, value in found.items()
    }
