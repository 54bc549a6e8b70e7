"""Results in plain words: the headline sentence of an audit, and numbers as people read them."""

from __future__ import annotations

import math

from latentveil.results.audit import AuditedData, AuditResults, SecretLeakage
from latentveil.types import TEMPORAL, Interval

METRICS = {
    "top1": "top-1 accuracy",
    "map": "mean average precision",
    "mAP": "mean average precision",
    "auc": "area under the ROC curve",
}


def headline(audit: AuditResults) -> str:
    """What a reader must know, in a few sentences."""
    told = [*verdict_in_words(audit)[:1], *_privacy_in_words(audit), _utility_in_words(audit)]
    if audit.recipient is not None:
        told.append(f"The three risks are told for a recipient who holds {audit.recipient.holds}.")
    return " ".join(told)


def verdict_in_words(audit: AuditResults) -> list[str]:
    """Whether the limit was kept, and then a line for each that was not; nothing where no limit was set."""
    verdict = audit.verdict
    if verdict is None:
        return []
    allowed = f"{percent(verdict.limit)} of the way from guessing to certainty"
    if verdict.passed:
        return [f"PASSED: nothing that was tested goes beyond the limit ({allowed})."]
    failed = len(verdict.exceeded) + len(verdict.unknown)
    return [
        f"FAILED: {failed} of the tested numbers are not shown to be within the limit ({allowed}).",
        *(f"{one} of the way from guessing to certainty." for one in verdict.exceeded),
        *verdict.unknown,
    ]


def reservations(audit: AuditResults) -> list[str]:
    """Which secrets were not tested, in a sentence for each reason, and then what not to trust, and why."""
    reasons = dict.fromkeys(one.why for one in audit.not_tested)
    untested = [
        f"{', '.join(plain(one.secret) for one in audit.not_tested if one.why == why)}: not tested: {why}."
        for why in reasons
    ]
    return untested + [flag.why for flag in audit.flags]


def _privacy_in_words(audit: AuditResults) -> list[str]:
    """What is gone on average, where most is left, and for what this cannot be told."""
    readings = audit.readings
    if not readings:
        return ["No secret was attacked."]
    unknown = [one for one in readings if one.leakage_removed is None]
    told = []
    if len(unknown) < len(readings):
        told.append(
            f"{percent(audit.summary.leakage_removed)} of what the best attack could learn is gone, on average "
            f"over {graded_readings(audit)} (a secret from stored clips, or from stills)."
        )
        over_floor = audit.summary.leakage_removed_over_floor
        if over_floor is not None:
            told.append(
                f"Above what the same attacks reach with nothing to learn, {percent(over_floor)} is gone."
            )
    weakest = max(readings, key=_learned)
    told.append(
        f"The weakest point is {secret_in_words(weakest)}: the best attack on the anonymized "
        f"features reaches {number(weakest.worst.anonymized.value)} where guessing gives "
        f"{number(weakest.chance)} and raw features gave {number(weakest.worst.raw.value)}."
    )
    if unknown:
        names = "; ".join(secret_in_words(one) for one in unknown)
        told.append(
            f"How much is gone cannot be told of {names}: "
            "there the raw features are not better than guessing by more than their interval."
        )
    return told


def graded_readings(audit: AuditResults) -> str:
    """Of how many readings it can be told how much is gone, as in "2 of 4 readings"."""
    count = sum(one.leakage_removed is not None for one in audit.readings)
    total = len(audit.readings)
    amount = f"{count} of {total}" if count < total else f"{count}"
    return f"{amount} {'reading' if total == 1 else 'readings'}"


def _learned(reading: SecretLeakage) -> float:
    """What the best attack on anonymized features knows, from 0 (guessing) to 1 (everything); -1 where unknown."""
    value, chance = reading.worst.anonymized.value, reading.chance
    if math.isnan(value) or math.isnan(chance) or chance >= 1:
        return -1.0
    return (value - chance) / (1 - chance)


def _utility_in_words(audit: AuditResults) -> str:
    """What the tasks reach, beside what guessing would."""
    if not audit.tasks:
        return "No task was measured."
    kept = audit.summary.utility_kept
    if kept is None:
        return "No task works on the raw features to begin with."
    useful = [task for task in audit.tasks.values() if task.kept is not None]
    guessed = sum(task.chance / task.raw.value for task in useful) / len(useful)
    return f"The tasks reach {percent(kept)} of their raw scores (guessing would reach {percent(guessed)})."


def attacker_in_words(audit: AuditResults) -> str:
    """Whether the attacks knew the adapter itself, and what that gave them."""
    attacker = audit.attacker
    if attacker is None:
        return "It is not recorded whether an attacker was tried who holds the adapter itself."
    if attacker.holds_adapter and not attacker.redrawn_copies:
        return "The adapter adds no noise: who holds it can make nothing that the attacks did not learn from already."
    if attacker.holds_adapter and any("informed" in one.attacks for one in audit.readings):
        return (
            "The informed attack holds the adapter too: it learned from "
            f"{attacker.redrawn_copies} more copies of its videos, anonymized with other noise."
        )
    return (
        "An attacker who holds the adapter itself was not tried: whoever gets it could learn more. "
        "Audit with --adapter and the informed attack to see."
    )


def inversion_in_words(audit: AuditResults) -> str:
    """What decoders that draw pictures from features came to, or that none was tried."""
    inversion = audit.inversion
    if inversion is None:
        return "No decoder was tried that draws pictures from the features. Audit with --videos to see."
    psnr, attribute = inversion.psnr, inversion.attribute
    return (
        f"A decoder that learns from the anonymized features draws frames at {psnr['adaptive'].value:.1f} dB PSNR "
        f"(from raw features {psnr['raw'].value:.1f}, from no feature at all {psnr['mean_frame'].value:.1f}); "
        f"{plain(attribute.secret)} is named in {percent(attribute.named['adaptive'].value)} of its pictures "
        f"(raw {percent(attribute.named['raw'].value)}, guessing {percent(attribute.chance)})."
    )


def coverage_in_words(data: AuditedData) -> str | None:
    """What the labels and the store do not share, or None where both name the same videos."""
    if not data.unlabelled_videos and not data.labels_of_no_video:
        return None
    return (
        f"{data.videos} of {data.videos + data.unlabelled_videos} videos have labels; the others are left out. "
        f"{data.labels_of_no_video} labels are of no video there."
    )


def secret_in_words(reading: SecretLeakage) -> str:
    """A reading for a sentence: what is asked, and of which clips."""
    return f"{plain(reading.secret)}, read from {clips_in_words(reading.kind)}"


def clips_in_words(kind: str) -> str:
    """What a reader calls the clips of a kind."""
    return "stored clips" if kind == TEMPORAL else "stills"


def removed_in_words(reading: SecretLeakage) -> str:
    """The share of the leakage that is gone, with its interval; a dash where it cannot be told."""
    return share_in_words(reading.leakage_removed, reading.leakage_removed_interval)


def removed_over_floor_in_words(reading: SecretLeakage) -> str:
    """The same above the floor."""
    return share_in_words(reading.leakage_removed_over_floor, reading.leakage_removed_over_floor_interval)


def share_in_words(share: float | None, ends: Interval | None) -> str:
    """A share with its interval, as in 76% [-10%, 100%]; the interval is left out where it is unknown."""
    if ends is None or not math.isfinite(ends.low) or not math.isfinite(ends.high):
        return percent(share)
    return f"{percent(share)} [{percent(ends.low)}, {percent(ends.high)}]"


def metric_in_words(metric: str) -> str:
    """The name of a measure as people write it."""
    return METRICS.get(metric, plain(metric))


def plain(name: str) -> str:
    """A name without underscores."""
    return name.replace("_", " ")


def percent(share: float | None) -> str:
    """A share as whole per cent; an unknown one as a dash."""
    if share is None or not math.isfinite(share):
        return "–"
    text = f"{share:.0%}"
    return "0%" if text == "-0%" else text


def number(value: float | None, *, digits: int = 2) -> str:
    """A number; an unknown one as a dash."""
    return "–" if value is None or not math.isfinite(value) else f"{value:.{digits}f}"


def interval(found: Interval, *, digits: int = 3) -> str:
    """A value with its interval, as in 0.62 [0.58, 0.66]; the interval is left out where it is unknown."""
    value, low, high = (number(end, digits=digits) for end in (found.value, found.low, found.high))
    return value if "–" in (low, high) else f"{value} [{low}, {high}]"
