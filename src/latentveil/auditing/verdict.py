"""Pass or fail: whether everything that was tested stays within a limit that somebody set beforehand."""

from __future__ import annotations

import math
from collections.abc import Iterator

from latentveil.errors import InputError
from latentveil.report.words import percent, plain, secret_in_words
from latentveil.results.audit import AuditResults, Verdict
from latentveil.results.risks import Risks
from latentveil.types import Interval

# What was tested, and how far the best attack came on the way from guessing (0) to certainty (1).
Finding = tuple[str, Interval]


def require_limit(limit: float) -> None:
    """Refuse a limit that no audit could be held against."""
    if not 0 <= limit <= 1:
        raise InputError(
            f"limit must lie between 0 (guessing) and 1 (certainty), got {limit}."
            " 0.2 allows an attacker a fifth of the way."
        )


def judge(audit: AuditResults, limit: float) -> Verdict:
    """Hold every secret and every risk of an audit against one limit, by the upper ends of their intervals."""
    require_limit(limit)
    exceeded, unknown = [], []
    for name, learned in [*_secrets(audit), *_risks(audit.risks)]:
        if math.isnan(learned.high):
            unknown.append(f"{name}: no interval")
        elif learned.high > limit:
            exceeded.append(f"{name}: {percent(learned.value)}, and up to {percent(learned.high)}")
    return Verdict(limit, not exceeded and not unknown, exceeded, unknown)


def _secrets(audit: AuditResults) -> Iterator[Finding]:
    for one in audit.readings:
        yield secret_in_words(one), one.learned or _on_the_way(one.worst.anonymized, one.chance)


def _risks(risks: Risks) -> Iterator[Finding]:
    if risks.singling_out is not None:
        found = risks.singling_out
        yield "singling out", _on_the_way(found.anonymized[-1].top1, found.chance)
    if risks.linkability is not None:
        sides = {
            "": risks.linkability.anonymized,
            " with raw videos": risks.linkability.raw_to_anonymized or {},
        }
        for words, by_pairs in sides.items():
            for pairs, links in by_pairs.items():
                if links.video is not None:
                    yield f"linkability{words}, {plain(pairs)}", _on_the_way(links.video.auc, 0.5)
    for secret, inference in risks.inference.items():
        found_of = inference.anonymized
        yield f"inference of {plain(secret)}, average person", _on_the_way(found_of.average, found_of.chance)


def _on_the_way(found: Interval, chance: float) -> Interval:
    return Interval(*((end - chance) / (1 - chance) for end in (found.value, found.low, found.high)))
