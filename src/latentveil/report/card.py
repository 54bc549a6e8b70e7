"""The privacy card: an adapter's README, with what the last audit found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latentveil.errors import InputError
from latentveil.report.certificate import certificate_in_words
from latentveil.report.headline import reservations, verdict_in_words
from latentveil.report.page import render_risks
from latentveil.report.words import (
    clips_in_words,
    interval,
    metric_in_words,
    percent,
    plain,
    removed_in_words,
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
    return _card(
        "Anonymizing adapter",
        f"Takes clip features of {config['dim']} dimensions and gives anonymized features of the same shape.",
        {
            "encoder": encoder.get("name", "not recorded"),
            "weights of the encoder (sha256)": encoder.get("weights_sha256") or "not recorded",
            "network": config.get("network", config["architecture"]),
            **_made_by(config),
        },
        findings=[
            *(_unaudited() if audit is None else _findings(audit)),
            *(line for note in notes for line in ("", note)),
        ],
        use=["veil apply ADAPTER STORE -o SAFE", "veil audit STORE SAFE --labels labels.csv -o audit"],
        ending=[
            "",
            "An adapter is measured against the attacks, the people and the encoder of its audit.",
            "On other data, audit it again.",
        ],
    )


def pixel_card(config: dict[str, Any]) -> str:
    """Markdown for the README of a pixel anonymizer, which nothing is known of before an audit of its videos."""
    return _card(
        "Pixel anonymizer",
        "Rewrites the frames of videos: clips in, clips of the same shape out.",
        {"network": config["about"], **_made_by(config)},
        findings=_unaudited("videos"),
        use=[
            "veil apply ANONYMIZER VIDEOS -o SAFE_VIDEOS",
            "veil extract VIDEOS -o RAW",
            "veil extract SAFE_VIDEOS -o SAFE",
            "veil audit RAW SAFE --labels labels.csv -o audit",
        ],
    )


def _made_by(config: dict[str, Any]) -> dict[str, str]:
    recipe = config.get("recipe") or {}
    tasks = recipe.get("tasks", [])
    if not isinstance(tasks, list | tuple) or not all(isinstance(task, str) for task in tasks):
        raise InputError(
            f"recipe.tasks of an anonymizer must be a list of names, got {tasks!r:.40}. Mend its config.json."
        )
    return {
        "method": recipe.get("method", "not recorded"),
        "tasks it was trained to keep": ", ".join(tasks) or "none",
    }


def _card(
    title: str,
    about: str,
    facts: dict[str, str],
    *,
    findings: Sequence[str],
    use: Sequence[str],
    ending: Sequence[str] = (),
) -> str:
    """The sections that every card has."""
    lines = [about, "", "| what | value |", "|---|---|"]
    lines += [f"| {name} | {value} |" for name, value in facts.items()]
    lines += ["", "## What an attacker can still learn", "", *findings]
    lines += ["", "## Use", "", "```", *use, "```", *ending]
    return _HEAD.format(title=title) + "\n".join(lines) + "\n"


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
    places = "" if data.recordings is None else f" in {data.recordings} recordings"
    lines = ["", f"Measured on {data.videos} videos{people}{places}{f', {data.date}' if data.date else ''}."]
    notes = [f"- {note}" for note in reservations(audit)]
    if notes:
        lines += ["", "### When not to trust these numbers", "", *notes]
    verdict = verdict_in_words(audit)
    lines += ["", f"**{verdict[0]}**", *([""] if verdict[1:] else []), *(f"- {told}" for told in verdict[1:])]
    certificate = certificate_in_words(audit)
    if certificate:
        lines += ["", "### Certificate", "", *(f"- {told}" for told in certificate)]
    if audit.recipient is not None:
        lines += ["", *render_risks(audit).replace("## ", "### ", 1).rstrip("\n").split("\n")]
    return lines
