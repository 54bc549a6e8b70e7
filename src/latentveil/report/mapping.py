"""What an audit tested in the words of data protection law and standards, and what it did not."""

from __future__ import annotations

from dataclasses import dataclass

from latentveil.report.recipients import recipient_rows
from latentveil.report.risks import NOTHING, links_not_tested
from latentveil.report.words import holder_in_words, plain
from latentveil.results.audit import AuditResults


@dataclass(frozen=True)
class MappingRow:
    """A word of a law, an opinion or a standard, and what of it was tested here."""

    source: str
    word: str
    tested: str


def mapping_rows(audit: AuditResults) -> list[MappingRow]:
    """What was tested in the words of data protection; no statement that any of it is fulfilled."""
    risks = audit.risks
    secrets = ", ".join(plain(secret) for secret in risks.inference)
    holds = _recipients(audit)
    wp29, iso = "WP29 Opinion 05/2014", "ISO/IEC 27559"
    average = "average over people, and the person guessed best" if risks.inference else NOTHING
    attacks = ", ".join(audit.data.attacks) or NOTHING
    return [
        MappingRow(
            wp29, "singling out", _if(risks.singling_out, "naming people by 1, 2, 5 and all known videos")
        ),
        MappingRow(
            wp29, "linkability", _if(risks.linkability, "telling whether two videos show one stranger")
        ),
        MappingRow(wp29, "inference", f"attributes of strangers: {secrets}" if secrets else NOTHING),
        MappingRow(
            "GDPR, recital 26", "means reasonably likely to be used", f"{holds}. Cost and time: {NOTHING}"
        ),
        MappingRow(iso, "6.2 threat modelling", holds),
        MappingRow(iso, "7.3.2 maximum and average risk", average),
        MappingRow(iso, "8.2.3 adversarial testing", f"attacks trained anew on the release: {attacks}"),
        MappingRow(
            "EDPB Opinion 28/2024",
            "personal data obtained from a model",
            f"the features only. The adapter and the encoder as models (extraction, membership): {NOTHING}",
        ),
    ]


def not_tested_in_words(audit: AuditResults) -> list[str]:
    """What nobody should take for tested."""
    told = [
        "Who was among the people that the adapter was fitted on (membership).",
        "Attackers with more people, other data to join, or other attacks than those named.",
    ]
    if not audit.other_recipients:
        told.append("Recipients other than the one named above.")
    if audit.inversion is None:
        told.append("Pictures drawn from the features.")
    if audit.attacker is not None and audit.attacker.redrawn_copies:
        averaged = audit.attacker.copies_for_risks
        more = f"More than {averaged} further" if averaged else "Further"
        told.append(f"{more} draws of the noise, averaged, for singling out and linkability.")
    if audit.risks.linkability is not None:
        told += links_not_tested(audit.risks)
    return told


def _recipients(audit: AuditResults) -> str:
    if audit.recipient is None:
        return NOTHING
    rows = recipient_rows(audit)
    if not rows:
        return f"one recipient, who holds {holder_in_words(audit)[0]}; no other"
    return f"{len(rows)} recipients, each by what they hold: {', '.join(row.name for row in rows)}"


def _if(found: object | None, words: str) -> str:
    return NOTHING if found is None else words
