"""Who could find what: a row for each recipient that an audit was asked about, and which attacks are beyond one."""

from __future__ import annotations

import math
from dataclasses import dataclass

from latentveil.report.findings import Finding, findings, mountable
from latentveil.report.words import holder_in_words, percent
from latentveil.results.audit import AuditResults
from latentveil.results.risks import RECIPIENT_NAMES
from latentveil.results.verdict import NOTHING_TESTED, ByRecipient, Verdict

NO_LIMIT = "no limit was set"


@dataclass(frozen=True)
class RecipientRow:
    """One recipient, as text: what they hold, the most that they find out, and the verdict."""

    name: str
    holds: str
    most: str
    verdict: str


def recipient_rows(audit: AuditResults) -> list[RecipientRow]:
    """A row for each recipient, who holds the least first; none where the audit was asked about one alone."""
    if audit.recipient is None or not audit.other_recipients:
        return []
    own = ByRecipient(audit.recipient, audit.risks, audit.verdict)
    everybody = sorted([own, *audit.other_recipients], key=lambda one: _place(one.recipient.name))
    return [
        RecipientRow(
            name=one.recipient.name,
            holds=holder_in_words(audit, one.recipient)[0],
            most=_most_in_words(findings(audit, one)),
            verdict=_verdict_in_words(one.verdict),
        )
        for one in everybody
    ]


def recipients_in_words(audit: AuditResults) -> list[str]:
    """The rows as one sentence for the headline; nothing where the audit was asked about one recipient alone."""
    rows = recipient_rows(audit)
    if not rows:
        return []
    if audit.verdict is None:
        return [
            f"By recipient, the most that is found out: {'; '.join(f'{r.name}: {r.most}' for r in rows)}."
        ]
    return [f"By recipient: {'; '.join(f'{r.name} {r.verdict}' for r in rows)}."]


def beyond_in_words(audit: AuditResults) -> list[str]:
    """Which attacks on secrets take more than the recipient holds, in a sentence; nothing where all can be mounted."""
    tried = list(dict.fromkeys(name for one in audit.readings for name in one.attacks))
    mounted = mountable(audit, tried, audit.recipient)
    if len(mounted) == len(tried):
        return []
    if not mounted:
        return [
            "Attacks on secrets learn from labels of other people, which this recipient does not hold: they are in "
            "the tables, and not in the risks and in no verdict on this recipient."
        ]
    beyond = ", ".join(name for name in tried if name not in mounted)
    return [
        f"Attacks on secrets that take more than this recipient holds ({beyond}) are in the tables, and not in the "
        "risks and in no verdict on this recipient."
    ]


def _place(name: str) -> int:
    return RECIPIENT_NAMES.index(name) if name in RECIPIENT_NAMES else len(RECIPIENT_NAMES)


def _most_in_words(found: list[Finding]) -> str:
    """The finding that comes farthest on the way from guessing to certainty."""
    known = [finding for finding in found if not math.isnan(finding.learned.value)]
    if not known:
        return "nothing was tested"
    worst = max(known, key=lambda finding: finding.learned.value)
    high = percent(worst.learned.high)
    up_to = "" if high == "–" else f" (up to {high})"
    return f"{worst.name}, {percent(worst.learned.value)}{up_to} of the way from guessing to certainty"


def _verdict_in_words(verdict: Verdict | None) -> str:
    if verdict is None:
        return NO_LIMIT
    if verdict.unknown == [NOTHING_TESTED]:
        return f"FAILED ({NOTHING_TESTED})"
    failed = len(verdict.exceeded) + len(verdict.unknown)
    return "PASSED" if verdict.passed else f"FAILED ({failed} not shown to be within the limit)"
