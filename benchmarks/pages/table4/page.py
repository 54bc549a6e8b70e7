"""The page docs/table4.md: which tasks survive which adapter, and what attackers still read."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from latentveil.bench.readings import READINGS, Entry, Subject, describe_subject, find_reading, subjects_of
from latentveil.bench.scores import half_width, mean_and_half_width

RAW = "raw"
ALLOWED_LOSS = 0.03  # of an unseen task's score, relative to raw features
INTRO = """\
# Tasks that an adapter has seen, and tasks that it has not

Written by `python -m benchmarks.pages.table4 WORK` (`make bench-tasks` runs everything); do not edit.

This is the shape of Table 4 of the SPLAVU paper: adapters are fitted for every subset of the tasks action recognition,
temporal action detection and anomaly detection. Behind each of them fresh heads are trained for all tasks. **Bold** is
what an adapter was fitted for; everything else is unseen. In brackets is the score as a share of that of raw features.

- `veil, motion` is the preset `veil` with `motion` named beside the tasks (`veil fit --tasks action,motion`): it also
  keeps what moves, for tasks that nobody has named, and needs no label for that. [methods.md](methods.md) says on
  which videos its settings were chosen, and no test video is among them.
- `veil` is the preset without `motion`: it hides most and promises nothing to tasks that were not named. Here each clip
  is kept apart (`erasure.window=1`) for the adapter that knows of actions only, too; or nothing could be located.
- `paper` is the published objective, trained for a few hundred steps only.

A subset that has no row was not measured; `make bench-tasks` goes on where it was stopped.
"""


def render_page(found: dict[str, Any]) -> str:
    """The whole page from what `table4.py` has measured so far."""
    lines = INTRO.splitlines()
    table, falls, frontier = found["table"], found["falls"], found["frontier"]
    lines += ["", "## `actors`", "", *describe_data(found), "", *subset_table(table), "", *verdict(table)]
    lines += ["", "## What attackers read", "", *secret_table(table)]
    if falls:
        lines += ["", "## Real falls (UR Fall Detection)", "", *falls_table(falls)]
    if frontier:
        lines += ["", "## The dial of `motion`, on validation videos", "", *frontier_table(frontier)]
    return "\n".join(lines) + "\n"


def describe_data(found: dict[str, Any]) -> list[str]:
    """What was measured, in words."""
    features = (
        f"{found['components']} principal components (of the training videos) of I3D features"
        if found["components"]
        else "I3D features"
    )
    counts = ", ".join(f"{count} for {task}" for task, count in found["test_videos"].items())
    heads = ", ".join(f"{count} for {task}" for task, count in found["heads"].items())
    intervals = ", ".join(
        f"{name} [{task['interval']['low']:.3f}, {task['interval']['high']:.3f}]"
        for name, task in raw_entry(found["table"])["tasks"].items()
    )
    return [
        f"Features: {features} at 112 px, one clip of 16 frames per second of video. Every number is the mean over "
        f"heads of different seeds ({heads}; a linear head for actions does not depend on its seed), ± half of its "
        f"95 % interval over them, on test videos ({counts}); people in them appear in no training video. What raw "
        "features of full width reach is in [actors_tasks.md](actors_tasks.md). 95 % intervals over videos of one "
        f"head's scores on raw features are {intervals}: single cells differ from raw by chance, too.",
    ]


def subset_table(entries: list[Entry]) -> list[str]:
    """One line per adapter: every task's score, its spread over heads, and its share of raw."""
    raw = raw_entry(entries)
    tasks = list(raw["tasks"])
    heads = " | ".join(f"{task} ({raw['tasks'][task]['metric']})" for task in tasks)
    lines = [f"| adapter | fitted for | {heads} | seconds to fit |", f"|---|---|{'---|' * len(tasks)}---|"]
    for entry in entries:
        cells = [task_cell(entry, raw, task) for task in tasks]
        lines.append(
            f"| {entry['name']} | {', '.join(entry['fitted_for']) or 'none'} | {' | '.join(cells)} "
            f"| {entry['fit_seconds']:.0f} |"
        )
    settings = {entry["name"]: settings_of(entry) for entry in entries if entry["changes"]}
    return [*lines, "", *(f"- Settings of {name}: {text}." for name, text in settings.items())]


def settings_of(entry: Entry) -> str:
    return " ".join(f"`{change}`" for change in entry["changes"])


def task_cell(entry: Entry, raw: Entry, task: str) -> str:
    text = mean_and_half_width(entry["tasks"][task]["values"])
    if entry["name"] == RAW:
        return text
    text += f" ({share(entry, raw, task):.0%})"
    return f"**{text}**" if task in entry["fitted_for"] else text


def verdict(entries: list[Entry]) -> list[str]:
    """What unseen tasks keep behind the adapters of each name: all together, and task by task."""
    raw = raw_entry(entries)
    tasks = list(raw["tasks"])
    lines = [
        "What tasks keep that an adapter was not fitted for, as shares of raw (wanted: at least "
        f"{1 - ALLOWED_LOSS:.2f}), averaged over adapters, ± half of the 95 % interval over the seeds of the heads, "
        "those on raw features included; which videos happen to be tested adds to it:",
        "",
        f"| adapters | all unseen tasks | {' | '.join(tasks)} | scores within {ALLOWED_LOSS:.0%} | lowest |",
        f"|---|---|{'---|' * len(tasks)}---|---|",
    ]
    for name in dict.fromkeys(entry["name"] for entry in entries if entry["name"] != RAW):
        unseen = {
            task: [entry for entry in entries if entry["name"] == name and task not in entry["fitted_for"]]
            for task in tasks
        }
        kept = {task: kept_share(found, raw, task) for task, found in unseen.items() if found}
        if not kept:
            continue
        overall = np.average(
            [value for value, _ in kept.values()], weights=[len(unseen[task]) for task in kept]
        )
        width = np.sqrt(np.sum([(len(unseen[task]) * half) ** 2 for task, (_, half) in kept.items()]))
        singles = {
            (task, ", ".join(entry["fitted_for"]) or "none"): share(entry, raw, task)
            for task, found in unseen.items()
            for entry in found
        }
        (task, fitted_for), lowest = min(singles.items(), key=lambda item: item[1])
        cells = [kept_cell(overall, width / len(singles))]
        cells += [kept_cell(*kept[task]) if task in kept else "" for task in tasks]
        lines.append(
            f"| {name} | {' | '.join(cells)} "
            f"| {sum(value >= 1 - ALLOWED_LOSS for value in singles.values())} of {len(singles)} "
            f"| {lowest:.3f} ({task}, fitted for {fitted_for}) |"
        )
    return lines


def kept_cell(value: float, half: float) -> str:
    """A share with half of its interval, which a single head does not have."""
    return f"{value:.3f} ± {half:.3f}" if half else f"{value:.3f}"


def kept_share(entries: list[Entry], raw: Entry, task: str) -> tuple[float, float]:
    """The mean score behind some adapters relative to raw features, and half of its 95 % interval over heads."""
    by_head = np.mean([entry["tasks"][task]["values"] for entry in entries], axis=0)
    on_raw = np.array(raw["tasks"][task]["values"])
    kept = float(by_head.mean() / on_raw.mean())
    errors = half_width(by_head.tolist()) / by_head.mean(), half_width(on_raw.tolist()) / on_raw.mean()
    return kept, kept * float(np.hypot(*errors))


def secret_table(entries: list[Entry]) -> list[str]:
    """One line per adapter: the best attack on every secret."""
    raw = raw_entry(entries)
    wanted = subjects_of(raw)
    names = [describe_subject(subject) for subject in wanted]
    lines = [
        "The best of the attacks "
        + ", ".join(raw[READINGS][0]["attacks"])
        + ", each fitted anew on the features it attacks and graded on people it has not seen.",
        "",
        f"| adapter | fitted for | {' | '.join(names)} |",
        f"|---|---|{'---|' * len(names)}",
    ]
    for entry in entries:
        cells = [f"{best_attack(entry, subject):.3f}" for subject in wanted]
        lines.append(
            f"| {entry['name']} | {', '.join(entry['fitted_for']) or 'none'} | {' | '.join(cells)} |"
        )
    levels = "; ".join(
        f"{name}: {reading['metric'].replace('_', ' ')}, {reading['chance']:.2f}"
        for name, reading in zip(names, raw[READINGS])
    )
    return [*lines, "", f"Measures and guessing: {levels}."]


def frontier_table(entries: list[Entry]) -> list[str]:
    """What closed forms keep and leak under each setting, without any test video."""
    raw = raw_entry(entries)
    tasks, wanted = list(raw["tasks"]), subjects_of(raw)  # of clips alone
    secrets = [secret for secret, _ in wanted]
    lines = [
        "Without the test videos: adapters and heads learn from a part of the training videos and are measured on the "
        "validation videos, one split and one head each, so that single shares scatter by several percent. For every "
        "setting three adapters are fitted, each for one task and motion. The table shows what tasks keep that an "
        "adapter was not fitted for, as shares of raw, behind the adapter of each other task; then the best attack on "
        "clips, worst of the three adapters.",
        "",
        f"| settings | {' | '.join(f'{task}, unseen' for task in tasks)} | {' | '.join(secrets)} |",
        f"|---|{'---|' * (len(tasks) + len(secrets))}",
    ]
    for name in dict.fromkeys(entry["name"] for entry in entries if entry["name"] != RAW):
        found = [entry for entry in entries if entry["name"] == name]
        cells = [
            " and ".join(
                f"{share(entry, raw, task):.0%}" for entry in found if task not in entry["fitted_for"]
            )
            for task in tasks
        ]
        cells += [f"{max(best_attack(entry, subject) for entry in found):.3f}" for subject in wanted]
        lines.append(f"| `{name}` | {' | '.join(cells)} |")
    base = ", ".join(f"{task} {np.mean(raw['tasks'][task]['values']):.3f}" for task in tasks)
    leaks = ", ".join(f"{subject[0]} {best_attack(raw, subject):.3f}" for subject in wanted)
    return [*lines, "", f"Raw features here: {base}; {leaks}."]


def falls_table(entries: list[Entry]) -> list[str]:
    """Raw and anonymized features of real falls: means over splits, with their share of raw."""
    splits = sorted({entry["seed"] for entry in entries})
    tasks = list(entries[0]["tasks"])
    lines = [
        f"70 videos of one camera, I3D features at 224 px; the means (± half of the 95 % interval) over {len(splits)} "
        "random splits by video, one head each. Who is in the videos is not known, so nothing can be said about "
        "secrets here.",
        "",
        f"| adapter | fitted for | {' | '.join(tasks)} |",
        f"|---|---|{'---|' * len(tasks)}",
    ]
    for key in dict.fromkeys(entry["row"] for entry in entries):
        rows = [entry for entry in entries if entry["row"] == key]
        cells = []
        for task in tasks:
            values = [float(np.mean(entry["tasks"][task]["values"])) for entry in rows]
            text = mean_and_half_width(values)
            if rows[0]["name"] != RAW:
                raw = [
                    float(np.mean(entry["tasks"][task]["values"]))
                    for entry in entries
                    if entry["name"] == RAW
                ]
                text += f" ({np.mean(values) / np.mean(raw):.0%})"
            cells.append(f"**{text}**" if task in rows[0]["fitted_for"] else text)
        lines.append(
            f"| {rows[0]['name']} | {', '.join(rows[0]['fitted_for']) or 'none'} | {' | '.join(cells)} |"
        )
    return lines


def share(entry: Entry, raw: Entry, task: str) -> float:
    """A task's mean score relative to raw features."""
    return float(np.mean(entry["tasks"][task]["values"]) / np.mean(raw["tasks"][task]["values"]))


def best_attack(entry: Entry, subject: Subject) -> float:
    return max(find_reading(entry, subject)["attacks"].values())


def raw_entry(entries: Iterable[Entry]) -> Entry:
    return next(entry for entry in entries if entry["name"] == RAW)
