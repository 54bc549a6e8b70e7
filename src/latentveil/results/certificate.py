"""What an audit proves or tests of a release as a whole: bounds that no attacker exceeds, and exchangeability."""

from __future__ import annotations

from dataclasses import dataclass, field

from latentveil.results.record import Record


@dataclass(frozen=True, eq=False)
class Exchangeability(Record):
    """Whether any learner tells the ``groups`` ("person", "recording") of the released videos from permuted ones.

    ``scores`` are the learners' deviations from permuted groups in standard deviations, below 0 where videos of one
    group are less alike than others; the p-value is that of the largest. ``power`` is how often an offset is found that
    is planted into each group, by its size as a share of the videos' distance from their mean. ``within`` names the
    column within whose classes groups were permuted, "" for none.
    """

    groups: str
    within: str
    num_groups: int
    num_videos: int
    num_permutations: int
    p_value: float
    learner: str
    scores: dict[str, float]
    power: dict[str, float]


@dataclass(frozen=True, eq=False)
class NoiseBound(Record):
    """What no attacker exceeds, by the Gaussian mechanism, for one video of a person.

    ``mu`` is how far codes can lie apart, over the noise. ``advantage`` is the largest gain over guessing at two
    equally likely answers (0 to 1), ``accuracy`` that of naming one of two, ``identity`` of naming one of
    ``num_people``, ``true_accept_at_1_percent`` of telling two videos apart. Vacuous is a bound that allows all.
    """

    mu: float
    advantage: float
    accuracy: float
    true_accept_at_1_percent: float
    is_vacuous: bool
    num_people: int | None = None
    identity: float | None = None
    conditions: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Certificate(Record):
    """The bound, or why there is none, and a test of exchangeability for each sort of group that the labels name."""

    bound: NoiseBound | None = None
    why_no_bound: str = ""
    exchangeability: list[Exchangeability] = field(default_factory=list)
    why_not_tested: str = ""
