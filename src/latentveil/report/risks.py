"""The three risks as a reader sees them: rows of tables, and a sentence for each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from latentveil.report.words import holder_in_words, interval, number, percent, plain
from latentveil.results.audit import AuditResults
from latentveil.results.risks import (
    Inference,
    KnownVideos,
    Linkability,
    Links,
    LinkScore,
    Risks,
)
from latentveil.types import Interval

COMPARED = {
    "raw": "raw",
    "anonymized": "anonymized",
    "raw_to_anonymized": "raw with anonymized",
}
NOTHING = "not tested"


@dataclass(frozen=True)
class KnownRow:
    """Singling out with some number of known videos per person, as text."""

    known: str
    raw: str
    anonymized: str
    raw_sure: str
    anonymized_sure: str


@dataclass(frozen=True)
class LinkRow:
    """Linking videos of one sort, as text."""

    pairs: str
    unit: str
    compared: str
    auc: str
    accepted: str
    rank1: str
    rank1_chance: str


@dataclass(frozen=True)
class InferenceRow:
    """How often one attribute is right, as text: for whom, what guessing reaches there, raw and anonymized."""

    secret: str
    whom: str
    guessing: str
    raw: str
    anonymized: str


def known_rows(risks: Risks) -> list[KnownRow]:
    """Singling out, one row for each number of known videos."""
    found = risks.singling_out
    if found is None:
        return []
    return [
        KnownRow(
            known="all" if raw.known is None else str(raw.known),
            raw=interval(raw.top1, digits=2),
            anonymized=interval(anonymized.top1, digits=2),
            raw_sure=percent(raw.singled_out.value),
            anonymized_sure=percent(anonymized.singled_out.value),
        )
        for raw, anonymized in zip(found.raw, found.anonymized)
    ]


def link_rows(risks: Risks) -> list[LinkRow]:
    """Linkability, by sort of pair, by video and pooled, raw and anonymized."""
    found = risks.linkability
    if found is None:
        return []
    return [
        _link_row(pairs, unit, compared, score)
        for pairs in _shown_pairs(found)
        for unit in ("video", "pooled")
        for compared, by_pairs in _compared(found)
        if (score := getattr(by_pairs[pairs], unit)) is not None
    ]


def links_not_tested(risks: Risks) -> list[str]:
    """The sorts of pair that there are none of, and why, a sentence each."""
    if risks.linkability is None:
        return []
    return [
        f"{plain(pairs).capitalize()}: not tested: {links.why_not.rstrip('.')}."
        for pairs, links in risks.linkability.anonymized.items()
        if links.why_not
    ]


def inference_rows(risks: Risks) -> list[InferenceRow]:
    """Inference, some rows for each secret: the average person, all videos pooled, the worst person, each group."""
    return [row for secret, found in risks.inference.items() for row in _inference_rows(plain(secret), found)]


def _inference_rows(secret: str, found: Inference) -> Iterator[InferenceRow]:
    raw, anonymized, guessing = found.raw, found.anonymized, number(found.raw.chance)

    def row(whom: str, before: Interval, after: Interval) -> InferenceRow:
        return InferenceRow(secret, whom, guessing, interval(before, digits=2), interval(after, digits=2))

    yield row("average person", raw.average, anonymized.average)
    if raw.pooled is not None and anonymized.pooled is not None:
        yield row("average person, from all of their videos", raw.pooled, anonymized.pooled)
    luck = number(anonymized.worst_by_luck)
    yield InferenceRow(secret, "worst person", luck, number(raw.worst), number(anonymized.worst))
    for name in sorted(raw.by_group.keys() & anonymized.by_group.keys()):
        yield row(f"average person of group {name}", raw.by_group[name], anonymized.by_group[name])


def risks_in_words(audit: AuditResults) -> list[str]:
    """The three risks in a sentence each, the recipient first; nothing where they were left out."""
    if audit.recipient is None:
        return []
    return [
        recipient_in_words(audit),
        _singling_out_in_words(audit.risks),
        _linkability_in_words(audit.risks),
        _inference_in_words(audit.risks),
    ]


def recipient_in_words(audit: AuditResults) -> str:
    """Who is assumed to get the features."""
    if audit.recipient is None:
        return "The three risks were left out. Name a recipient to measure them."
    holds, allows = holder_in_words(audit)
    return f'The recipient ("{audit.recipient.name}") holds {holds}. That allows {allows}.'


def _singling_out_in_words(risks: Risks) -> str:
    found = risks.singling_out
    if found is None:
        return f"Singling out: {NOTHING}."
    first, last = (_named(found.raw[place], found.anonymized[place]) for place in (0, -1))
    return f"Singling out among {found.num_people} people: {first}; {last}; guessing names {percent(found.chance)}."


def _named(raw: KnownVideos, anonymized: KnownVideos) -> str:
    amount = (
        "all known videos" if raw.known is None else f"{raw.known} known video{'' if raw.known == 1 else 's'}"
    )
    share, before = percent(anonymized.top1.value), percent(raw.top1.value)
    return f"with {amount} of each, {share} of videos are named (raw {before})"


def _linkability_in_words(risks: Risks) -> str:
    found = risks.linkability
    if found is None:
        return f"Linkability: {NOTHING}."
    told = [
        f"{unit}, {plain(pairs)}, are told to be of one stranger with an area of "
        f"{number(anonymized.auc.value)} (raw {number(raw.auc.value)}, guessing 0.50)"
        for pairs in _shown_pairs(found)
        for unit, raw, anonymized in _both(found.raw[pairs], found.anonymized[pairs])
    ]
    return f"Linkability: {'; '.join(told) or NOTHING}."


def _both(raw: Links, anonymized: Links) -> Iterator[tuple[str, LinkScore, LinkScore]]:
    """The units of a sort of pair that were compared on both sides."""
    for unit, before, after in (
        ("two videos", raw.video, anonymized.video),
        ("two halves of a person's videos", raw.pooled, anonymized.pooled),
    ):
        if before is not None and after is not None:
            yield unit, before, after


def _inference_in_words(risks: Risks) -> str:
    told = [
        f"{plain(secret)} is right for {percent(one.anonymized.average.value)} of the average person's videos and "
        f"{percent(one.anonymized.worst)} of the worst's (raw {percent(one.raw.average.value)} and "
        f"{percent(one.raw.worst)}, guessing {percent(one.raw.chance)}){_pooled_in_words(one)}"
        for secret, one in risks.inference.items()
    ]
    return f"Inference: {'; '.join(told) or NOTHING}."


def _pooled_in_words(found: Inference) -> str:
    if found.raw.pooled is None or found.anonymized.pooled is None:
        return ""
    raw, anonymized = (percent(pooled.value) for pooled in (found.raw.pooled, found.anonymized.pooled))
    return f", and for {anonymized} of people from all of their videos together (raw {raw})"


def _shown_pairs(found: Linkability) -> list[str]:
    """Every sort of pair that was tested: the headline and the verdict may name any of them."""
    return [pairs for pairs, links in found.anonymized.items() if not links.why_not]


def _compared(found: Linkability) -> Iterator[tuple[str, dict[str, Links]]]:
    for name, words in COMPARED.items():
        by_pairs = getattr(found, name)
        if by_pairs is not None:
            yield words, by_pairs


def _link_row(pairs: str, unit: str, compared: str, score: LinkScore) -> LinkRow:
    accepted = score.true_accept_at_1_percent
    return LinkRow(
        pairs=plain(pairs),
        unit="one video each" if unit == "video" else "videos pooled",
        compared=compared,
        auc=interval(score.auc, digits=2),
        accepted="–" if accepted is None else interval(accepted, digits=2),
        rank1=interval(score.rank1, digits=2),
        rank1_chance=number(score.rank1_chance),
    )
