"""Results in plain words: names and numbers as people read them, and what attackers held."""

from __future__ import annotations

import math

from latentveil.results.audit import AuditedData, AuditResults, SecretLeakage
from latentveil.results.risks import Recipient
from latentveil.types import TEMPORAL, Interval

METRICS = {
    "top1": "top-1 accuracy",
    "map": "mean average precision",
    "mAP": "mean average precision",
    "auc": "area under the ROC curve",
}
# Recipients who would hold the adapter, where the audit was not given it: their attacks learned from pairs of raw and
# anonymized videos alone. What they hold, and what that allows.
RAW_RECIPIENT = "raw"
NOT_GIVEN = "but not the adapter, which this audit was not given"
WITHOUT_ADAPTER = {
    "adapter": (
        f"the anonymized features, and raw videos and labels of other people, {NOT_GIVEN}",
        "learning from other people's videos, and the way back from pairs of raw and anonymized ones",
    ),
    RAW_RECIPIENT: (
        "the anonymized features, raw videos and labels of other people, and raw videos of the person looked for, "
        f"{NOT_GIVEN}",
        "comparing raw videos of a person with anonymized ones, and learning from other people's videos and from pairs",
    ),
}


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
    if attacker.holds_adapter:
        return _adapter_without_informed(audit, draws=1 + attacker.copies_for_risks)
    return (
        "An attacker who holds the adapter itself was not tried: whoever gets it could learn more. "
        "Audit with the adapter and the informed attack to see."
    )


def _adapter_without_informed(audit: AuditResults, *, draws: int) -> str:
    """Who used the adapter where no attack on secrets did: those who single out and link, as far as they were tried."""
    unused = "The attacks on secrets did not use the adapter: whoever gets it could learn more."
    recipient = "" if audit.recipient is None else audit.recipient.name
    tried = {
        "singling out": audit.risks.singling_out is not None and recipient == RAW_RECIPIENT,
        "linking": audit.risks.linkability is not None,
    }
    used = [risk for risk, is_tried in tried.items() if is_tried and draws > 1]
    if not used:
        return f"An attacker who uses the adapter was not tried. {unused} Add the attack informed to see."
    return f"{unused} Add the attack informed to see. Only {' and '.join(used)} used it, with {draws} draws."


def holder_in_words(audit: AuditResults, recipient: Recipient | None = None) -> tuple[str, str]:
    """What a recipient holds (the audit's, if not given) and what that allows.

    Without the adapter where the audit was not given it.
    """
    recipient = recipient or audit.recipient
    assert recipient is not None
    given = audit.attacker is None or audit.attacker.holds_adapter
    told = recipient.holds, recipient.allows
    return told if given else WITHOUT_ADAPTER.get(recipient.name, told)


def inversion_in_words(audit: AuditResults) -> str:
    """What decoders that draw pictures from features came to, or that none was tried."""
    inversion = audit.inversion
    if inversion is None:
        return "No decoder was tried that draws pictures from the features. Audit with the videos to see."
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


def more_in_words(removed: float | None) -> str:
    """How much more is found than before, as in 41%, where the share that is gone is negative; else empty."""
    return percent(removed)[1:] if percent(removed).startswith("-") else ""


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
