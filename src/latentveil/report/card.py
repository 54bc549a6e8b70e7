"""The privacy card: an adapter's README, with what the last audit found."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

_HEAD = """---
library_name: latentveil
tags:
- privacy
- video-features
- anonymization
---

# Anonymizing adapter

"""


def privacy_card(config: dict[str, Any], *, audit: dict[str, Any] | None, notes: Sequence[str] = ()) -> str:
    """Markdown for the adapter's README; ``audit`` is the content of an audit.json, or None before the first.

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
    return _HEAD + "\n".join(lines) + "\n"


def _unaudited() -> list[str]:
    return [
        "**Not audited yet.** Nothing is known of what these features give away. Run `veil audit` before sharing any."
    ]


def _findings(audit: dict[str, Any]) -> list[str]:
    attacks = dict.fromkeys(name for secret in audit["secrets"].values() for name in secret["attacks"])
    lines = [
        f"Attacks: {', '.join(attacks)}. In brackets is the one that did best.",
        "",
        "| secret | read from | guessing | raw, best attack | anonymized, best attack | leakage removed |",
        "|---|---|---|---|---|---|",
    ]
    for name, secret in audit["secrets"].items():
        worst = secret["worst"]
        removed = secret["leakage_removed"]
        lines.append(
            f"| {name.removesuffix('_static').replace('_', ' ')} "
            f"| {'clips' if secret['kind'] == 'temporal' else 'stills'} "
            f"| {secret['chance']:.2f} | {_interval(worst['raw'])} | "
            f"{_interval(worst['anonymized'])} ({worst['attack']}) | {'–' if removed is None else f'{removed:.0%}'} |"
        )
    lines += ["", "| task | metric | raw | anonymized | kept |", "|---|---|---|---|---|"]
    for name, task in audit["tasks"].items():
        kept = task["kept"]
        lines.append(
            f"| {name} | {task['metric']} | {_interval(task['raw'])} | {_interval(task['anonymized'])} | "
            f"{'–' if kept is None else f'{kept:.0%}'} |"
        )
    return lines


def _interval(interval: dict[str, float | None]) -> str:
    low, high = interval["low"], interval["high"]
    ends = "" if low is None or high is None else f" [{low:.2f}, {high:.2f}]"
    return f"{interval['value']:.2f}{ends}"
