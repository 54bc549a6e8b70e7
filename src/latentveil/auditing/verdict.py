"""Pass or fail: whether everything that was tested stays within a limit that somebody set beforehand."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TypeVar

from latentveil.errors import UsageError
from latentveil.report.findings import findings
from latentveil.report.words import percent
from latentveil.results.audit import AuditResults
from latentveil.results.verdict import NOTHING_TESTED, ByRecipient, Verdict

AnyAudit = TypeVar("AnyAudit", bound=AuditResults)


def require_limit(limit: float) -> None:
    """Refuse a limit that no audit could be held against."""
    if not 0 <= limit <= 1:
        raise UsageError(
            f"limit must lie between 0 (guessing) and 1 (certainty), got {limit}."
            " 0.2 allows an attacker a fifth of the way."
        )


def judged(audit: AnyAudit, limit: float) -> AnyAudit:
    """The audit with a verdict for its recipient, and one for each of the others."""
    others = [replace(one, verdict=judge(audit, limit, other=one)) for one in audit.other_recipients]
    return replace(audit, verdict=judge(audit, limit), other_recipients=others)


def judge(audit: AuditResults, limit: float, *, other: ByRecipient | None = None) -> Verdict:
    """Hold every secret and every risk of an audit against one limit, by the upper ends of their intervals.

    Counted is what the audit's recipient could find out, or one of the ``other`` recipients. Where nothing was tested
    that they could, nothing was shown: that fails, too.
    """
    require_limit(limit)
    exceeded, unknown = [], []
    found = findings(audit, other)
    if not found:
        unknown.append(NOTHING_TESTED)
    for finding in found:
        learned = finding.learned
        if math.isnan(learned.high):
            unknown.append(f"{finding.name}: no interval")
        elif learned.high > limit:
            exceeded.append(f"{finding.name}: {percent(learned.value)}, and up to {percent(learned.high)}")
    return Verdict(limit, not exceeded and not unknown, exceeded, unknown)
