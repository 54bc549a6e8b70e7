"""Whether all that was tested stays within a limit, for one recipient or for each of several."""

from __future__ import annotations

from dataclasses import dataclass, field

from latentveil.results.record import Record
from latentveil.results.risks import Recipient, Risks

NOTHING_TESTED = "nothing was tested that this recipient could find out"


@dataclass(frozen=True, eq=False)
class Verdict(Record):
    """Whether all that was tested stays within a limit that was set before.

    ``limit`` is the largest share of the way from guessing (0) to certainty (1) that an attacker may come, by the upper
    end of its interval. ``exceeded`` says what goes beyond it and how far, ``unknown`` of what this cannot be told;
    either fails. Where nothing was tested, that alone is in ``unknown``.
    """

    limit: float
    passed: bool
    exceeded: list[str] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class ByRecipient(Record):
    """The three risks for one more recipient, and the verdict where a limit was set."""

    recipient: Recipient
    risks: Risks
    verdict: Verdict | None = None
