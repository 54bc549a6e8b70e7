"""Everything an audit tested, on one scale: how far the best attack came from guessing (0) to certainty (1)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from latentveil.report.words import plain, secret_in_words
from latentveil.results.audit import AuditResults, SecretLeakage
from latentveil.results.risks import (
    RECIPIENT_NAMES,
    Linkability,
    LinkScore,
    Recipient,
    Risks,
    SinglingOut,
)
from latentveil.results.verdict import ByRecipient
from latentveil.types import Interval

GUESSED_AREA = 0.5


@dataclass(frozen=True)
class Finding:
    """What was tested, and how far the best attack came with anonymized and with raw features."""

    name: str
    learned: Interval
    raw: Interval


def findings(audit: AuditResults, other: ByRecipient | None = None) -> list[Finding]:
    """Every risk that was tested, and every secret that somebody could attack who holds what the recipient holds.

    The recipient is the audit's own, or one of the ``other`` recipients.
    """
    recipient, risks = (audit.recipient, audit.risks) if other is None else (other.recipient, other.risks)
    secrets = []
    for one in audit.readings:
        learned = _learned_with(one, mountable(audit, one.attacks, recipient))
        if learned is not None:
            secrets.append(Finding(secret_in_words(one), learned, _on_the_way(one.worst.raw, one.chance)))
    return secrets + risk_findings(risks)


def mountable(audit: AuditResults, attacks: Iterable[str], recipient: Recipient | None) -> list[str]:
    """Those of the attacks on secrets for which the recipient holds enough; all where this is not recorded."""
    if recipient is None or audit.attacker is None or recipient.name not in RECIPIENT_NAMES:
        return list(attacks)
    holds = RECIPIENT_NAMES.index(recipient.name)
    weakest = audit.attacker.weakest
    return [
        name
        for name in attacks
        if weakest.get(name) not in RECIPIENT_NAMES or RECIPIENT_NAMES.index(weakest[name]) <= holds
    ]


def _learned_with(reading: SecretLeakage, attacks: Sequence[str]) -> Interval | None:
    """How far the best of some attacks on anonymized features came; None without any."""
    if not attacks or reading.worst.attack in attacks:
        return learned_of(reading) if attacks else None
    best = max((reading.attacks[name].anonymized for name in attacks), key=lambda found: found.value)
    return _on_the_way(best, reading.chance)


def learned_of(reading: SecretLeakage) -> Interval:
    """How far the best attack on anonymized features came; worked out for audits that did not record it."""
    return reading.learned or _on_the_way(reading.worst.anonymized, reading.chance)


def risk_findings(risks: Risks) -> list[Finding]:
    """Every number of the three risks that has an interval."""
    found: list[Finding] = []
    if risks.singling_out is not None:
        found += _singling_out(risks.singling_out)
    if risks.linkability is not None:
        found += _linkability(risks.linkability)
    for secret, one in risks.inference.items():
        learned, raw = (_on_the_way(side.average, side.chance) for side in (one.anonymized, one.raw))
        found.append(Finding(f"inference of {plain(secret)}, average person", learned, raw))
        if one.anonymized.pooled is not None and one.raw.pooled is not None:
            chance = one.raw.chance
            learned, raw = (_on_the_way(side, chance) for side in (one.anonymized.pooled, one.raw.pooled))
            found.append(Finding(f"inference of {plain(secret)}, a person's videos pooled", learned, raw))
    return found


def _singling_out(found: SinglingOut) -> Iterator[Finding]:
    for raw, anonymized in zip(found.raw, found.anonymized):
        amount = "all" if raw.known is None else str(raw.known)
        videos = "video" if raw.known == 1 else "videos"
        yield Finding(
            f"singling out with {amount} known {videos}",
            *(_on_the_way(side.top1, found.chance) for side in (anonymized, raw)),
        )
        yield Finding(
            f"people singled out for sure with {amount} known {videos}",
            anonymized.singled_out,
            raw.singled_out,
        )


def _linkability(found: Linkability) -> Iterator[Finding]:
    sides = {"": found.anonymized, " with raw videos": found.raw_to_anonymized or {}}
    for words, by_pairs in sides.items():
        for pairs, links in by_pairs.items():
            for unit, score, raw in (
                ("one video each", links.video, found.raw[pairs].video),
                ("videos pooled", links.pooled, found.raw[pairs].pooled),
            ):
                if score is not None:
                    yield Finding(
                        f"linkability{words}, {plain(pairs)}, {unit}", _area(score), _area(raw or score)
                    )


def _area(score: LinkScore) -> Interval:
    return _on_the_way(score.auc, GUESSED_AREA)


def _on_the_way(found: Interval, chance: float) -> Interval:
    """The share of the way from ``chance`` to 1; one as far below where all of the interval lies below.

    Somebody would turn round an attack that is wrong more often than by chance.
    """
    if chance >= 1:
        return Interval(math.nan, math.nan, math.nan)
    value, low, high = ((end - chance) / (1 - chance) for end in (found.value, found.low, found.high))
    return Interval(-value, -high, -low) if high < 0 else Interval(value, low, high)
