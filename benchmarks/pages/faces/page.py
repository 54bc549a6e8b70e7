"""The results on faces as Markdown: means over secrets first, then every secret, then what the space costs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.pages.faces.grading import LINEAR, WORST
from latentveil.bench.readings import READINGS, Entry, Reading, find_reading
from latentveil.bench.recipe import Recipe
from latentveil.methods.settings import TrainedSettings
from latentveil.types import STATIC

# The above-chance leakage that the paper reports as removed from static I3D features of VISPR (Table 1).
CLAIMED = 0.58


def render_faces(recipe: Recipe, entries: Sequence[Entry], about: dict[str, Any]) -> str:
    """The page for docs/, from what ``grading.run_faces`` gives."""
    rows = {row.name: [entry for entry in entries if entry["row"] == row.key] for row in recipe.rows}
    rows = {name: found for name, found in rows.items() if found}
    if not rows:
        return "# Faces of strangers\n\nNothing was measured.\n"
    lines = [
        *_introduction(recipe, entries, about["remarks"]),
        *_means(rows, floor=recipe.floor),
        *_company(recipe, rows),
        *_every_secret(rows, "The worst attack on each secret", _worst),
        *_every_secret(rows, "The linear attack on each secret", _linear),
        *_spaces(recipe, about),
    ]
    return "\n".join(lines) + "\n"


def _introduction(recipe: Recipe, entries: Sequence[Entry], remarks: Sequence[str]) -> list[str]:
    seeds = ", ".join(str(seed) for seed in sorted({entry["seed"] for entry in entries}))
    where = f"the {recipe.components} principal components of the signers' training videos"
    reading = entries[0][READINGS][0]
    attacks, num_pictures = reading["attacks"], reading["num_videos"]
    return [
        "# Faces of strangers: static secrets of UTKFace",
        "",
        "Written by `python -m benchmarks.pages.faces`; do not edit. The adapters are those of "
        f"[{recipe.title}](real.md): fitted on training videos of {recipe.num_seen} signs, without any label of a "
        "secret. Here they meet pictures of other people, one per person; attackers are retrained on the anonymized "
        "training pictures and graded on "
        f"{num_pictures} others. So it is in the paper, which fits on action videos and grades on VISPR pictures. "
        f"Space: I3D features in {where if recipe.components else 'their own dimensions'}. "
        f"Attacks: {', '.join(attacks)}. Labels are "
        f"perceived attributes; `group0` to `group4` are the set's own codes. {' '.join(remarks)}".rstrip(),
        "",
        f"Numbers are means over seeds {seeds} (other seen signs, attackers and noise), in brackets the 95 % interval "
        "over test pictures, the seeds' ends averaged. `gone` is the share of the raw leakage above guessing. Pictures "
        "of faces serve no task here, so noise alone hides best; what each method keeps is in [real.md](real.md).",
        "",
    ]


def _means(rows: dict[str, list[Entry]], *, floor: str) -> list[str]:
    """The table of means; the last column counts from ``floor``, a row that publishes nothing, where there is one."""
    chance = next(iter(rows.values()))[0]["mean"][WORST]["chance"]
    lowest = _mean_worst(rows[floor], "anonymized") if floor in rows else None
    head = "| method | linear attack | gone | worst attack | gone | spread over seeds |"
    lines = [
        f"## Mean over secrets (cMAP; guessing {chance:.3f})",
        "",
        head if lowest is None else f"{head} gone, from `{floor}` |",
        "|---" * (6 if lowest is None else 7) + "|",
    ]
    for name, entries in rows.items():
        cells = []
        for attack in (LINEAR, WORST):
            means = [entry["mean"][attack] for entry in entries]
            cells.append(_interval([mean["anonymized"] for mean in means]))
            cells.append(_share([mean["leakage_removed"] for mean in means]))
        spread = np.std(
            [entry["mean"][WORST]["anonymized"]["value"] for entry in entries], ddof=len(entries) > 1
        )
        cells.append(f"{spread:.3f}")
        if lowest is not None:
            raw, left = _mean_worst(entries, "raw"), _mean_worst(entries, "anonymized")
            cells.append(f"{(raw - left) / (raw - lowest):.0%}" if raw > lowest else "–")
        lines.append(f"| {name} | {' | '.join(cells)} |")
    lines += ["", f"The paper reports {CLAIMED:.0%} gone on VISPR (I3D, static), under one MLP."]
    if lowest is not None:
        lines[-1] += (
            f" The best of several attacks is above guessing by luck alone: `{floor}` publishes nothing of its input. "
            "The last column counts from what is reached there."
        )
    return [*lines, ""]


def _company(recipe: Recipe, rows: dict[str, list[Entry]]) -> list[str]:
    """A word on adapters for which a picture's feature depends on the other pictures of its batch."""
    chosen = {row.name: row.config(seed=0).settings for row in recipe.rows if row.name in rows}
    names = [
        f"`{name}`"
        for name, settings in chosen.items()
        if isinstance(settings, TrainedSettings) and settings.adapter.attends == "batch"
    ]
    if not names:
        return []
    return [
        f"{', '.join(names)}: attention runs over the batch, as in the public code, so pictures of one batch change "
        "each other. Pictures come in the order of their names, which begin with the age: the company a picture is in "
        "tells its age, and `over30` can be read better than from raw features.",
        "",
    ]


def _mean_worst(entries: Sequence[Entry], side: str) -> float:
    return float(np.mean([entry["mean"][WORST][side]["value"] for entry in entries]))


def _every_secret(
    rows: dict[str, list[Entry]], title: str, pick: Callable[[Reading], dict[str, float]]
) -> list[str]:
    """Average precision of one attack for every method and secret."""
    readings = next(iter(rows.values()))[0][READINGS]
    secrets = [reading["secret"] for reading in readings]
    chances = " | ".join(f"{reading['chance']:.3f}" for reading in readings)
    lines = [
        f"## {title}",
        "",
        f"| method | {' | '.join(secrets)} |",
        "|---" * (len(secrets) + 1) + "|",
        f"| guessing | {chances} |",
    ]
    for name, entries in rows.items():
        cells = [
            _interval([pick(find_reading(entry, (secret, STATIC))) for entry in entries])
            for secret in secrets
        ]
        lines.append(f"| {name} | {' | '.join(cells)} |")
    return [*lines, ""]


def _worst(reading: Reading) -> dict[str, float]:
    return reading["worst"]["anonymized"]


def _linear(reading: Reading) -> dict[str, float]:
    return reading["attacks"][LINEAR]["anonymized"]


def _spaces(recipe: Recipe, spaces: dict[str, Any]) -> list[str]:
    kept, cmap = spaces["variance_kept"], spaces["cmap"]
    attacks = list(next(iter(cmap.values())))
    lines = [
        "## What the space costs",
        "",
        f"The {recipe.components} components of the signers hold {kept:.0%} of the faces' variance. What can be read "
        "from raw faces all the same, on validation pictures (cMAP; attackers learn from training pictures only):",
        "",
        f"| space | {' | '.join(attacks)} |",
        "|---" * (len(attacks) + 1) + "|",
    ]
    for name, found in cmap.items():
        lines.append(f"| {name} | {' | '.join(f'{found[attack]:.3f}' for attack in attacks)} |")
    return lines


def _interval(found: Sequence[dict[str, float]]) -> str:
    """The mean of values over seeds, with the means of their intervals' ends."""
    value, low, high = (np.mean([entry[name] for entry in found]) for name in ("value", "low", "high"))
    return f"{value:.3f} [{low:.3f}, {high:.3f}]"


def _share(found: Sequence[dict[str, float] | None]) -> str:
    """The mean share gone, where raw features leak at all."""
    known = [share for share in found if share is not None]
    if not known:
        return "–"
    value, low, high = (np.mean([share[name] for share in known]) for name in ("value", "low", "high"))
    return f"{value:.0%} [{low:.0%}, {high:.0%}]"
