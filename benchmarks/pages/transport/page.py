"""The page docs/transport.md from what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from benchmarks.pages.transport.grading import ATTACKS
from benchmarks.pages.transport.rows import RAW, ROWS
from latentveil.bench.table import mean_and_half_width

Entry = dict[str, Any]
ABOUT = {
    "lsa64": "LSA64: ten signers, signs that a still gives away, I3D at 224 px; the split is by repetition",
    "wlasl100": "WLASL100: 91 signers of 19 web sites, few videos of most, I3D at 112 px; the split is by person",
    "thetis": "THETIS: 55 people, twelve tennis shots, InceptionV3 per frame; the split is by person",
}
INTRO = """\
# A release as a set

Written by `python -m benchmarks.pages.transport`; do not edit.

`transport` is fitted on the very videos that are to be released and knows of no task
([methods.md](methods.md#transport)). Every other method here looks at each video by itself, fitted on training videos
of half of the actions. Actions are those of the other half: nobody named them.

- Identity and gender: the best of the attacks {attacks}, each also turned round (the least likely answer is taken for
  the right one), retrained on the features it attacks. `straight` is the best without turning round.
- Named: the share of videos that are given the right name by whoever knows all other videos of everybody.
- Linked: how well two videos of people whom the attacker never learned from are told to show one person (area under the
  curve, 0.5 is guessing), for single videos and for halves of all of a person's videos.
- Gone is the share of what raw features give away above guessing that is not found any more; it is counted against
  guessing, which the best of many attacks exceeds by luck: compare `only noise`, which says nothing.

Every number is the mean over seeds, ± half of its 95 % interval over seeds; a seed draws the unseen actions, the folds
of the attacks and all draws of a method. All of them are of the same videos and people. 256 principal components.
Where the settings of `transport` come from: trials on LSA64, WLASL100 and THETIS with shrinkage LDA, an RBF SVM and
neighbours, those of the latter two sets on training and validation people alone. The first trials on LSA64 (the size of
the draws, level two, its number of clusters) saw all of its videos, test videos too; and the second round of
level two and the levelling of single stills were added after a first grading of its test videos. So the rows of
`transport` on LSA64 are tuned on what grades them, and flatter it.
"""


def render_page(entries: Sequence[Entry]) -> str:
    """The whole page from the results so far."""
    lines = INTRO.format(attacks=", ".join(f"`{name}`" for name in ATTACKS)).splitlines()
    for name, about in ABOUT.items():
        found = [entry for entry in entries if entry["set"] == name]
        if found:
            lines += ["", f"## {about.partition(':')[0]}", "", *set_section(found, about)]
    return "\n".join(lines) + "\n"


def set_section(entries: Sequence[Entry], about: str) -> list[str]:
    """What a set is, and its table."""
    secrets = list(entries[0]["secrets"])
    seeds = sorted({entry["seed"] for entry in entries})
    raw = [entry for entry in entries if entry["row"] == RAW]
    first = raw[0]
    levels = "; ".join(f"{secret} {first['secrets'][secret]['chance']:.2f}" for secret in secrets)
    lines = [
        f"{about}. {first['videos']} videos; {len(seeds)} seeds; linked are {first['risks']['people']} people.",
        f"Guessing: {levels}; named {first['risks']['named_chance']:.2f}.",
        "",
        f"| row | {' | '.join(secrets)} | named | linked | linked, pooled | unseen actions |",
        f"|---|{'---|' * len(secrets)}---|---|---|---|",
    ]
    for row in ROWS:
        own = [entry for entry in entries if entry["row"] == row.name]
        if own:
            cells = (
                [secret_cell(own, secret) for secret in secrets] + risk_cells(own, raw) + [action_cell(own)]
            )
            lines.append(f"| {row.name} | {' | '.join(cells)} |")
    return lines


def secret_cell(entries: Sequence[Entry], secret: str) -> str:
    """The best attack in either direction, the best straight one, and the share that is gone."""
    found = [entry["secrets"][secret] for entry in entries]
    best = mean_and_half_width([one["best"] for one in found])
    straight = np.mean([one["straight"] for one in found])
    gone = share_gone(
        [one["best"] for one in found], [one["raw"] for one in found], [one["chance"] for one in found]
    )
    return f"{best}, straight {straight:.2f} ({gone})"


def risk_cells(entries: Sequence[Entry], raw: Sequence[Entry]) -> list[str]:
    """Named, linked and linked pooled, each with the share that is gone."""
    before = {entry["seed"]: entry["risks"] for entry in raw}
    known = [entry for entry in entries if entry["seed"] in before]
    cells = []
    for name, chance in (("named", None), ("auc", 0.5), ("pooled_auc", 0.5)):
        values = [entry["risks"][name] for entry in known]
        levels = [entry["risks"]["named_chance"] if chance is None else chance for entry in known]
        gone = share_gone(values, [before[entry["seed"]][name] for entry in known], levels)
        cells.append(f"{mean_and_half_width(values)} ({gone})")
    return cells


def action_cell(entries: Sequence[Entry]) -> str:
    values = [entry["unseen"]["anonymized"]["value"] for entry in entries]
    raw = [entry["unseen"]["raw"]["value"] for entry in entries]
    return f"{mean_and_half_width(values)} ({np.mean(values) / np.mean(raw):.1%} kept)"


def share_gone(values: Sequence[float], raw: Sequence[float], chance: Sequence[float]) -> str:
    """The share of the leakage above guessing that is gone, from the means over seeds."""
    leak = float(np.mean(raw) - np.mean(chance))
    left = max(0.0, float(np.mean(values) - np.mean(chance)))
    return f"{1 - left / leak:.0%} gone" if leak > 0 else "nothing to hide"
