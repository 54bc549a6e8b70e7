"""What an audit finds of the three risks of data protection: singling out, linkability and inference."""

from __future__ import annotations

from dataclasses import dataclass, field

from latentveil.results.record import Record
from latentveil.types import Interval

# Which pairs of videos are compared: by whether both are of the same place and day.
SAME_RECORDING = "same_recording"
OTHER_RECORDING = "other_recording"
ANY_RECORDING = "any_recording"
PAIRS = (SAME_RECORDING, OTHER_RECORDING, ANY_RECORDING)
# The names of recipients: each holds what the one before holds, and more.
RECIPIENT_NAMES = ("features", "labels", "adapter", "raw")


@dataclass(frozen=True, eq=False)
class LinkScore(Record):
    """How well the best attacker links pairs of videos of one sort.

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


@dataclass(frozen=True, eq=False)
class Links(Record):
    """The pairs of one sort, video by video and pooled over half of a person's videos; or why there is nothing."""

    video: LinkScore | None = None
    pooled: LinkScore | None = None
    why_not: str = ""


@dataclass(frozen=True, eq=False)
class Linkability(Record):
    """Whether two records can be told to belong to one person, by sort of pair: of the same recording or another.

    ``raw`` links raw videos, ``anonymized`` anonymized ones, ``raw_to_anonymized`` the one to the other: None for a
    recipient who has no raw videos of the people looked for.
    """

    recipient: str
    raw: dict[str, Links]
    anonymized: dict[str, Links]
    raw_to_anonymized: dict[str, Links] | None = None


@dataclass(frozen=True, eq=False)
class KnownVideos(Record):
    """Naming people of whom ``known`` videos each are known (None: all that are not asked about).

    ``top1`` is the share of videos named rightly; ``singled_out`` the share of people of whom a video is named rightly
    by an attacker who speaks only when 90 % sure; ``precision`` how often it was right then, None if it never spoke.
    """

    known: int | None
    attacks: tuple[str, ...]
    top1: Interval
    singled_out: Interval
    precision: float | None


@dataclass(frozen=True, eq=False)
class SinglingOut(Record):
    """Whether somebody can be named among ``num_people`` known people, by how many of their videos are known."""

    num_people: int
    num_videos: int
    num_draws: int
    chance: float
    raw: tuple[KnownVideos, ...]
    anonymized: tuple[KnownVideos, ...]


@dataclass(frozen=True, eq=False)
class PeopleInference(Record):
    """How often an attribute is guessed rightly, person by person, all classes taken as equally frequent.

    ``average`` is the mean over people; ``worst`` the share for the person guessed best, beside ``worst_by_luck``, what
    the best of so many would reach by guessing; ``by_group`` the mean over the people of each group. ``pooled`` is the
    share of people guessed rightly from all of their videos together; None where nobody has several.
    """

    secret: str
    attack: str
    num_people: int
    chance: float
    average: Interval
    worst: float
    worst_by_luck: float
    by_group: dict[str, Interval]
    pooled: Interval | None = None


@dataclass(frozen=True, eq=False)
class Inference(Record):
    """What the best attack on raw and the best attack on anonymized features know of each person."""

    raw: PeopleInference
    anonymized: PeopleInference


@dataclass(frozen=True, eq=False)
class Risks(Record):
    """The three risks, each where it was measured; ``inference`` by secret."""

    singling_out: SinglingOut | None = None
    linkability: Linkability | None = None
    inference: dict[str, Inference] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class Recipient(Record):
    """Who gets the features: in plain words what else they hold, and which attacks that allows."""

    name: str
    holds: str
    allows: str
