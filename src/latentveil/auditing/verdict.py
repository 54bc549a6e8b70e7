"""Pass or fail: whether everything that was tested stays within a limit that somebody set beforehand."""

from __future__ import annotations

import math

from latentveil.errors import UsageError
from latentveil.report.findings import findings
from latentveil.report.words import percent
from latentveil.results.audit import AuditResults, Verdict


def require_limit(limit: float) -> None:
    """Refuse a limit that no audit could be held against."""
    if not 0 <= limit <= 1:
        raise UsageError(
            f"limit must lie between 0 (guessing) and 1 (certainty), got {limit}."
            " 0.2 allows an attacker a fifth of the way."
        )


def judge(audit: AuditResults, limit: float) -> Verdict:
    """Hold every secret and every risk of an audit against one limit, by the upper ends of their intervals."""
    require_limit(limit)
    exceeded, unknown = [], []
    for finding in findings(audit):
        learned = finding.learned
        if math.isnan(learned.high):
            unknown.append(f"{finding.name}: no interval")
        elif learned.high > limit:
            exceeded.append(f"{finding.name}: {percent(learned.value)}, and up to {percent(learned.high)}")
    return Verdict(limit, not exceeded and not unknown, exceeded, unknown)
