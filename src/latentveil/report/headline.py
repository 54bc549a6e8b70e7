"""The headline of an audit: what a reader must know first, in a few sentences."""

from __future__ import annotations

import math

from latentveil.report.findings import learned_of, risk_findings
from latentveil.report.recipients import beyond_in_words, recipients_in_words
from latentveil.report.words import (
    holder_in_words,
    more_in_words,
    number,
    percent,
    plain,
    secret_in_words,
)
from latentveil.results.audit import AuditResults, SecretLeakage
from latentveil.results.verdict import NOTHING_TESTED

UNCHANGED = "unchanged"  # the flag of a release that is the raw features; a report begins with it
NO_LIMIT = "No limit was set beforehand, so nothing here is passed or failed."
_NOT_BETTER = "not better than guessing for certain (their interval reaches down to it, or is unknown)"


def headline(audit: AuditResults) -> list[str]:
    """What a reader must know, sentence by sentence, the most important first."""
    found = [*_privacy_in_words(audit), _utility_in_words(audit), *_risks_in_words(audit)]
    verdict = verdict_in_words(audit)[0]
    unchanged = [flag.why for flag in audit.flags if flag.flag == UNCHANGED]
    return [*unchanged, *([*found, verdict] if audit.verdict is None else [verdict, *found])]


def _risks_in_words(audit: AuditResults) -> list[str]:
    """For whom the risks were measured, and which of them is left most; a mean over secrets does not tell that."""
    if audit.recipient is None:
        return []
    told = [
        f"The three risks are told for a recipient who holds {holder_in_words(audit)[0]}.",
        *beyond_in_words(audit),
    ]
    tested = risk_findings(audit.risks)
    if not tested:
        told.append("None of them was tested.")
    found = [finding for finding in tested if not math.isnan(finding.learned.value)]
    if found:
        worst = max(found, key=lambda finding: finding.learned.value)
        share, high = percent(worst.learned.value), percent(worst.learned.high)
        up_to = "" if high == "–" else f" (up to {high})"
        raw = worst.raw.value
        before = f"raw features gave {percent(raw)}" if raw > 0 else "raw features gave no more than guessing"
        told.append(
            f"The largest of them is {worst.name}: {share}{up_to} of the way from guessing to certainty, "
            f"where {before}."
        )
    return told + recipients_in_words(audit)


def verdict_in_words(audit: AuditResults) -> list[str]:
    """Whether the limit was kept, and then a line for each that was not; or that no limit was set."""
    verdict = audit.verdict
    if verdict is None:
        return [NO_LIMIT]
    allowed = f"{percent(verdict.limit)} of the way from guessing to certainty"
    if verdict.passed:
        return [f"PASSED: nothing that was tested goes beyond the limit ({allowed})."]
    if verdict.unknown == [NOTHING_TESTED]:
        return [f"FAILED: {NOTHING_TESTED}, so it is not shown to be within the limit ({allowed})."]
    failed = len(verdict.exceeded) + len(verdict.unknown)
    return [
        f"FAILED: {failed} of the tested numbers are not shown to be within the limit ({allowed}).",
        *(f"{one} of the way from guessing to certainty." for one in verdict.exceeded),
        *verdict.unknown,
    ]


def reservations(audit: AuditResults) -> list[str]:
    """Which secrets were not tested, in a sentence for each reason, and then what not to trust, and why.

    That nothing was changed comes before all of it.
    """
    reasons = dict.fromkeys(one.why for one in audit.not_tested)
    untested = [
        f"{', '.join(plain(one.secret) for one in audit.not_tested if one.why == why)}: not tested: {why}."
        for why in reasons
    ]
    first = [flag.why for flag in audit.flags if flag.flag == UNCHANGED]
    return first + untested + [flag.why for flag in audit.flags if flag.flag != UNCHANGED]


def _privacy_in_words(audit: AuditResults) -> list[str]:
    """What is gone on average, where most is left, and for what this cannot be told."""
    readings = audit.readings
    if not readings:
        return ["No secret was attacked."]
    unknown = [one for one in readings if one.leakage_removed is None]
    told = []
    if len(unknown) < len(readings):
        told += _removed_in_words(audit)
    weakest = max(readings, key=_learned)
    told.append(
        f"The weakest point is {secret_in_words(weakest)}: the best attack on the anonymized "
        f"features reaches {number(weakest.worst.anonymized.value)} where guessing gives "
        f"{number(weakest.chance)} and raw features gave {number(weakest.worst.raw.value)}."
    )
    if unknown:
        names = "; ".join(secret_in_words(one) for one in unknown)
        told.append(f"How much is gone cannot be told of {names}: there the raw features are {_NOT_BETTER}.")
    return told


def _removed_in_words(audit: AuditResults) -> list[str]:
    """What is gone on average, or how much more is found than before; and the same above the floor."""
    removed, over_floor = audit.summary.leakage_removed, audit.summary.leakage_removed_over_floor
    average = f"on average over {graded_readings(audit)} (a secret from stored clips, or from stills)."
    more = more_in_words(removed)
    told = [
        f"More is found than before: the best attack learns {more} more above guessing, {average}"
        if more
        else f"{percent(removed)} of what the best attack could learn is gone, {average}"
    ]
    if over_floor is not None:
        more = more_in_words(over_floor)
        change = f"{more} more is found than before" if more else f"{percent(over_floor)} is gone"
        told.append(f"Above what the same attacks reach with nothing to learn, {change}.")
    return told


def removed_range(audit: AuditResults) -> str:
    """Where the readings behind the mean lie, as in "66% to 88%"; empty where there is one or none."""
    shares = [one.leakage_removed for one in audit.readings if one.leakage_removed is not None]
    return f"{percent(min(shares))} to {percent(max(shares))}" if len(shares) > 1 else ""


def graded_readings(audit: AuditResults) -> str:
    """Of how many readings it can be told how much is gone, as in "2 of 4 readings"."""
    count = sum(one.leakage_removed is not None for one in audit.readings)
    total = len(audit.readings)
    amount = f"{count} of {total}" if count < total else f"{count}"
    return f"{amount} {'reading' if total == 1 else 'readings'}"


def _learned(reading: SecretLeakage) -> float:
    """What the best attack on anonymized features knows, from 0 (guessing) to 1 (everything); -1 where unknown."""
    value = learned_of(reading).value
    return -1.0 if math.isnan(value) else value


def _utility_in_words(audit: AuditResults) -> str:
    """What the tasks reach, beside what guessing would."""
    if not audit.tasks:
        return "No task was measured."
    kept = audit.summary.utility_kept
    if kept is None:
        return f"What the tasks keep cannot be told: with the raw features they are {_NOT_BETTER}."
    useful = [task for task in audit.tasks.values() if task.kept is not None]
    guessed = sum(task.chance / task.raw.value for task in useful) / len(useful)
    return f"The tasks reach {percent(kept)} of their raw scores (guessing would reach {percent(guessed)})."
