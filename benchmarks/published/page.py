"""The page docs/published.md from the finished cells."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.published.arms import ARMS, RANDOM, RAW
from benchmarks.published.cells import CENTRED, NARROW, SEEDS, UNCENTRED, Cell, planned
from benchmarks.published.controls import explain
from benchmarks.published.data import JUDGED
from benchmarks.published.faces import FACES
from benchmarks.published.grade import ATTACK, GRADERS, PUBLIC
from benchmarks.published.measured import reading
from benchmarks.published.rule import CLAIM, RULE, verdict
from benchmarks.published.shares import Reading, Share, share_gone
from benchmarks.published.words import CONTROLS, FACES_INTRO, INTRO, NOT_DONE
from latentveil.losses.budget import uniform_level

Entry = dict[str, Any]


def render_page(entries: list[Entry]) -> str:
    """Everything that is known so far; what is missing is named."""
    found = Findings(entries)
    lines = [*INTRO.format(claim=CLAIM, rule=RULE).splitlines(), ""]
    if not entries:
        return "\n".join([*lines, "Nothing is finished yet."]) + "\n"
    if entries[0]["cell"]["source"] == FACES:
        lines[0] += " Pairs of faces"
        lines += [*FACES_INTRO.splitlines(), ""]
    lines += [
        "## Verdict",
        "",
        *_verdicts(found),
        "",
        "## Who stands behind the numbers",
        "",
        *_people(found),
    ]
    for people in found.graded:
        lines += ["", f"## Share of the raw leakage that is gone: {people}", "", *_share_table(found, people)]
        lines += [
            "",
            f"Average precision, mean of {', '.join(JUDGED[people])}:",
            "",
            *_score_table(found, people),
        ]
    lines += ["", "## The arms", "", *CONTROLS.splitlines(), "", *_what_arms_show(found)]
    lines += [
        "",
        "## Losses and displacement",
        "",
        *_loss_table(found),
        "",
        "## What is missing",
        "",
        *_missing(found),
    ]
    return "\n".join([*lines, "", *NOT_DONE.splitlines()]) + "\n"


class Findings:
    """The finished cells, by space and arm."""

    def __init__(self, entries: list[Entry]) -> None:
        self.entries = {Cell(**entry["cell"]): entry for entry in entries}
        self.graded = tuple(entries[0]["graded"]) if entries else ()
        self.spaces = [s for s in (UNCENTRED, CENTRED, NARROW) if self.cells(s, RAW)]

    def cells(self, space: str, arm: str) -> list[Cell]:
        return sorted(
            (cell for cell in self.entries if (cell.space, cell.arm) == (space, arm)), key=lambda c: c.seed
        )

    def readings(self, space: str, arm: str, people: str, grader: str) -> list[Reading]:
        graded = [self.entries[cell]["graded"][people] for cell in self.cells(space, arm)]
        return [reading(entry, grader) for entry in graded]

    def share(self, space: str, arm: str, people: str, grader: str) -> Share:
        raw = self.readings(space, RAW, people, grader)
        return share_gone(raw, self.readings(space, arm, people, grader))

    def arms(self, space: str) -> list[str]:
        return [arm for arm in (*ARMS, RANDOM) if self.cells(space, arm)]


def _verdicts(found: Findings) -> list[str]:
    """One line per graded set and space, by the rule."""
    lines = []
    if not found.cells(UNCENTRED, "released"):
        lines = [
            "- **the verdict**: none yet; the adapters on uncentred features at full width are not finished."
        ]
    for space in found.spaces:
        for people in found.graded if found.cells(space, "released") else ():
            grader = found.share(space, "released", people, PUBLIC)
            attack = found.share(space, "released", people, ATTACK)
            said = verdict(grader_gone=grader.interval.value, attack_gone=attack.interval.value)
            headline = space == UNCENTRED and people == found.graded[0]
            label = "**the verdict**" if headline else "beside it"
            lines.append(
                f"- {label}: {space} features, graded on {people}: **{said}** "
                f"(public grader {_percent(grader)} gone, best attack {_percent(attack)} gone; "
                f"{_count(len(grader.by_seed), 'seed')})."
            )
    return lines


def _what_arms_show(found: Findings) -> list[str]:
    """In words, on the first graded set, for every space with a finished adapter."""
    lines, people = [], found.graded[0]
    for space in found.spaces:
        arms = {
            arm: {grader: found.share(space, arm, people, grader).interval.value for grader in GRADERS}
            for arm in found.arms(space)
        }
        if "released" in arms:
            lines += [f"What they show on {people}, {space}:", "", *explain(arms), ""]
    return lines[:-1]


def _people(found: Findings) -> list[str]:
    lines = []
    for people in found.graded:
        graded = found.entries[found.cells(found.spaces[0], RAW)[0]]["graded"][people]
        shares = ", ".join(f"{name} {share:.2f}" for name, share in zip(JUDGED[people], graded["positives"]))
        lines.append(
            f"- {people}: graded on {graded['stills']} stills of {graded['people']} people whom neither "
            f"the adapter nor the grader has seen; share of positives: {shares}."
        )
    return lines


def _share_table(found: Findings, people: str) -> list[str]:
    lines = [f"| space | arm | seeds | {' | '.join(GRADERS)} |", f"|---|---|---|{'---|' * len(GRADERS)}"]
    for space in found.spaces:
        for arm in found.arms(space):
            shares = [found.share(space, arm, people, grader) for grader in GRADERS]
            lines.append(
                f"| {space} | {arm} | {len(shares[0].by_seed)} | {' | '.join(map(_percent, shares))} |"
            )
    return [
        *lines,
        "",
        "In square brackets: 95 % over people. In round ones: the least and the largest seed.",
    ]


def _score_table(found: Findings, people: str) -> list[str]:
    lines = [f"| space | arm | {' | '.join(GRADERS)} | guessing | attacks that were best |"]
    lines += [f"|---|---|{'---|' * len(GRADERS)}---|---|"]
    for space in found.spaces:
        for arm in (RAW, *found.arms(space)):
            readings = [found.readings(space, arm, people, grader) for grader in GRADERS]
            means = [np.mean([r.precision[0] for r in part]) for part in readings]
            graded = [found.entries[cell]["graded"][people] for cell in found.cells(space, arm)]
            best = "; ".join(sorted({entry["chosen"][ATTACK] for entry in graded}))
            chance = readings[0][0].chance[0]
            lines.append(
                f"| {space} | {arm} | {' | '.join(f'{m:.3f}' for m in means)} | {chance:.3f} | {best} |"
            )
    return lines


def _loss_table(found: Findings) -> list[str]:
    moved = ("training stills", "training clips", "held-out stills", "held-out clips")
    lines = [
        f"| space | arm | seed | task | budget | consistency | {' | '.join(moved)} | peta | core minutes |"
    ]
    lines += ["|---|---|---|---|---|---|" + "---|" * (len(moved) + 2)]
    for cell, entry in sorted(found.entries.items(), key=lambda item: item[0].key):
        if "first" not in entry:
            continue
        losses = [
            f"{entry['first'][n]:.3g} → {entry['last'][n]:.3g}" for n in ("task", "budget", "consistency")
        ]
        changes = [f"{entry['moved'][name]:.3f}" for name in moved] + [
            f"{entry['graded']['peta']['moved']:.3f}"
        ]
        lines.append(
            f"| {cell.space} | {cell.arm} | {cell.seed} | {' | '.join(losses + changes)} "
            f"| {entry['core_seconds'] / 60:.0f} |"
        )
    level = uniform_level(512)
    blind = f"A budget of {level:.2f} is blind: a still tells nothing of its partner; above, partners look less alike."
    hours, core_hours = (
        sum(entry[name] for entry in found.entries.values()) / 3600 for name in ("seconds", "core_seconds")
    )
    steps = ", ".join(sorted({str(entry["steps"]) for entry in found.entries.values()}))
    told = "The budget is told, not trained, where it is off. Changes are mean distances in units of a row's length."
    cost = f"All cells took {core_hours:.1f} hours of one core, {hours:.1f} by the clock of a busy machine."
    return [*lines, "", f"{steps} steps each. {blind} {told} {cost}"]


def _missing(found: Findings) -> list[str]:
    source = next(iter(found.entries)).source
    left = [cell for cell in planned(source, SEEDS) if cell not in found.entries]
    if not left:
        return ["Every planned cell is finished."]
    named: dict[str, list[str]] = {}
    for cell in left:
        named.setdefault(f"{cell.space} {cell.arm}", []).append(str(cell.seed))
    told = "; ".join(f"{name} (seed {', '.join(seeds)})" for name, seeds in named.items())
    return [f"{len(left)} of {len(planned(source, SEEDS))} cells are not finished: {told}."]


def _percent(share: Share) -> str:
    interval, seeds = share.interval, share.by_seed
    text = f"{interval.value:.0%} [{interval.low:.0%}, {interval.high:.0%}]"
    return text if len(seeds) < 2 else f"{text} ({min(seeds):.0%} … {max(seeds):.0%})"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"
