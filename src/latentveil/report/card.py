"""The privacy card: an adapter's README, with what the last audit found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latentveil.report.certificate import certificate_in_words
from latentveil.report.page import render_risks
from latentveil.report.words import (
    clips_in_words,
    interval,
    metric_in_words,
    percent,
    plain,
    removed_in_words,
    reservations,
    verdict_in_words,
)
from latentveil.results.audit import AuditResults

_HEAD = """---
library_name: latentveil
tags:
- privacy
- video-features
- anonymization
---

# {title}

"""


def privacy_card(config: dict[str, Any], *, audit: AuditResults | None, notes: Sequence[str] = ()) -> str:
    """Markdown for the adapter's README; ``audit`` is None before the first.

    ``notes`` are sentences that follow the audit's tables.
    """
    encoder = config.get("encoder") or {}
    recipe = config.get("recipe") or {}
    lines = [
        f"Takes clip features of {config['dim']} dimensions and gives anonymized features of the same shape.",
        "",
        "| what | value |",
        "|---|---|",
        f"| encoder | {encoder.get('name', 'not recorded')} |",
        f"| weights of the encoder (sha256) | {encoder.get('weights_sha256') or 'not recorded'} |",
        f"| network | {config.get('network', config['architecture'])} |",
        f"| method | {recipe.get('method', 'not recorded')} |",
        f"| tasks it was trained to keep | {', '.join(recipe.get('tasks', [])) or 'none'} |",
        "",
        "## What an attacker can still learn",
        "",
        *(_unaudited() if audit is None else _findings(audit)),
        *(line for note in notes for line in ("", note)),
        "",
        "## Use",
        "",
        "```",
        "veil apply ADAPTER STORE -o SAFE",
        "veil audit STORE SAFE --labels labels.csv -o audit",
        "```",
        "",
        "An adapter is measured against the attacks, the people and the encoder of its audit.",
        "On other data, audit it again.",
    ]
    return _HEAD.format(title="Anonymizing adapter") + "\n".join(lines) + "\n"


def pixel_card(config: dict[str, Any]) -> str:
    """Markdown for the README of a pixel anonymizer, which nothing is known of before an audit of its videos."""
    recipe = config.get("recipe") or {}
    lines = [
        "Rewrites the frames of videos: clips in, clips of the same shape out.",
        "",
        "| what | value |",
        "|---|---|",
        f"| network | {config['about']} |",
        f"| method | {recipe.get('method', 'not recorded')} |",
        f"| tasks it was trained to keep | {', '.join(recipe.get('tasks', [])) or 'none'} |",
        "",
        "## What an attacker can still learn",
        "",
        *_unaudited("videos"),
        "",
        "## Use",
        "",
        "```",
        "veil apply ANONYMIZER VIDEOS -o SAFE_VIDEOS",
        "veil extract VIDEOS -o RAW",
        "veil extract SAFE_VIDEOS -o SAFE",
        "veil audit RAW SAFE --labels labels.csv -o audit",
        "```",
    ]
    return _HEAD.format(title="Pixel anonymizer") + "\n".join(lines) + "\n"


def _unaudited(what: str = "features") -> list[str]:
    return [
        f"**Not audited yet.** Nothing is known of what these {what} give away. Run `veil audit` before sharing any."
    ]


def _findings(audit: AuditResults) -> list[str]:
    attacks = dict.fromkeys(name for one in audit.readings for name in one.attacks)
    lines = [
        f"Attacks: {', '.join(attacks)}. In brackets is the one that did best.",
        "",
        "| secret | read from | guessing | raw, best attack | anonymized, best attack | leakage removed |",
        "|---|---|---|---|---|---|",
    ]
    for one in audit.readings:
        lines.append(
            f"| {plain(one.secret)} | {clips_in_words(one.kind)} | {one.chance:.2f} "
            f"| {interval(one.worst.raw, digits=2)} "
            f"| {interval(one.worst.anonymized, digits=2)} ({one.worst.attack}) | {removed_in_words(one)} |"
        )
    lines += ["", "| task | metric | raw | anonymized | kept |", "|---|---|---|---|---|"]
    for name, task in audit.tasks.items():
        lines.append(
            f"| {plain(name)} | {metric_in_words(task.metric)} | {interval(task.raw, digits=2)} "
            f"| {interval(task.anonymized, digits=2)} | {percent(task.kept)} |"
        )
    return lines + _basis(audit)


def _basis(audit: AuditResults) -> list[str]:
    """What was measured on, what was not tested, and why a number may not be trusted."""
    data = audit.data
    people = "" if data.people is None else f" of {data.people} people"
    lines = ["", f"Measured on {data.videos} videos{people}{f', {data.date}' if data.date else ''}."]
    notes = [f"- {note}" for note in reservations(audit)]
    if notes:
        lines += ["", "### When not to trust these numbers", "", *notes]
    verdict = verdict_in_words(audit)
    if verdict:
        lines += ["", f"**{verdict[0]}**", "", *(f"- {told}" for told in verdict[1:])]
    certificate = certificate_in_words(audit)
    if certificate:
        lines += ["", "### Certificate", "", *(f"- {told}" for told in certificate)]
    if audit.recipient is not None:
        lines += ["", *render_risks(audit).replace("## ", "### ", 1).rstrip("\n").split("\n")]
    return lines
