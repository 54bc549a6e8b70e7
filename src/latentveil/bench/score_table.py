"""A bench's scores as Markdown and CSV: ours, the paper's beside them, who stands behind them, and the verdicts."""

from __future__ import annotations

import csv
from io import StringIO

from latentveil.bench.convergence import RULE as CONVERGED
from latentveil.bench.judging import UNKNOWN, Verdict, judge, why_blind
from latentveil.bench.protocols import BenchProtocol
from latentveil.bench.recipe import Recipe
from latentveil.bench.scores import Entries, half_width, mean_and_half_width, mean_in_words, mean_score
from latentveil.bench.tradeoff import render_tradeoff

NOTHING = "–"
CSV_COLUMNS = (
    *("row", "column", "mean", "half_width", "seeds", "low", "high", "guessing", "better", "by"),
    *("people", "videos", "recordings", "paper"),
)


def render_page(
    name: str, recipe: Recipe, found: Entries, protocol: BenchProtocol, *, plot: str = "", note: str = ""
) -> str:
    """The page of a table; ``plot`` is the file name of its picture, and a ``note`` stands below the title."""
    return "\n".join(
        [
            f"# {heading(recipe)}",
            "",
            *([note, ""] if note else []),
            f"Written by `veil bench {name}`; do not edit. {how_in_words(recipe, found, protocol)}",
            "",
            *([recipe.about, ""] if recipe.about else []),
            *render_table(recipe, found),
            "",
            *([f"![{heading(recipe)}]({plot})", ""] if plot else []),
            *render_claims(recipe, found),
            *render_trainings(found),
            "## What stands behind the columns",
            "",
            *render_columns(recipe, found),
            "",
            *protocol.notes(recipe, found),
            *render_tradeoff(recipe, found),
        ]
    )


def heading(recipe: Recipe) -> str:
    """The title, which says so where the features are not of full width."""
    return f"{recipe.title}, {recipe.components} principal components" if recipe.components else recipe.title


def how_in_words(recipe: Recipe, found: Entries, protocol: BenchProtocol) -> str:
    """What the numbers of a page are."""
    if not protocol.needs_data:
        return f"Every number is computed: {protocol.about}."
    return f"{mean_in_words(found.seeds)} Protocol: {protocol.about}. {space_in_words(recipe)}"


def space_in_words(recipe: Recipe) -> str:
    """Which features methods and attacks work on."""
    if not recipe.components:
        return "Features are of full width, and not centred."
    mean = "centred" if recipe.centred else "not centred"
    return f"Features are {recipe.components} principal components of the training videos, {mean}."


def render_table(recipe: Recipe, found: Entries) -> list[str]:
    """One line per row: our numbers, and beside those that a publication has, its own."""
    paper = recipe.paper.columns if recipe.paper else {}
    heads: list[str] = []
    for column in found.columns:
        heads += [column, *([f"paper: {paper[column]}"] if column in paper else [])]
    lines = [f"| method | {' | '.join(heads)} |", "|---" * (len(heads) + 1) + "|"]
    for row in recipe.rows:
        if row.name not in found.rows:
            continue
        cells: list[str] = []
        for column in found.columns:
            values = found.values(row.name, column)
            cells.append(mean_and_half_width(values) if values else NOTHING)
            if column in paper:
                said = row.paper.get(column)
                scale = 100 if recipe.paper and recipe.paper.percent else 1
                cells.append(NOTHING if said is None else f"{said / scale:.3f}")
        lines.append(f"| {row.name} | {' | '.join(cells)} |")
    lines += render_missing(recipe, found)
    if recipe.paper and recipe.raw:
        lines += [
            "",
            f"The paper's numbers are of other data and encoders ({recipe.paper.source}): compare directions.",
        ]
    return lines


def render_missing(recipe: Recipe, found: Entries) -> list[str]:
    """Which rows were not measured, and which under some of the seeds only; nothing where all were."""
    seeds = {
        name: {seed for column in found.columns for seed in found.scores(name, column)} for name in found.rows
    }
    missing = [f"`{row.name}`" for row in recipe.rows if row.name not in found.rows]
    partly = [
        f"`{row.name}` (seeds {', '.join(map(str, sorted(seeds[row.name])))})"
        for row in recipe.rows
        if row.name in seeds and len(seeds[row.name]) < len(found.seeds)
    ]
    lines = ["", f"Not measured yet: {', '.join(missing)}."] if missing else []
    return [*lines, *(["", f"Measured under some seeds only: {', '.join(partly)}."] if partly else [])]


def render_trainings(found: Entries) -> list[str]:
    """What the losses of every training did, and which had not come to rest; nothing where nothing was trained."""
    if not found.trainings:
        return []
    terms = list(dict.fromkeys(name for one in found.trainings.values() for name in one["first"]))
    lines = [
        "## What the trainings did",
        "",
        "Each term of the loss in the first epoch and at the end, without its weight. At rest means: "
        + CONVERGED
        + ".",
        "",
        f"| row | seed | epochs | {' | '.join(terms)} | at rest |",
        "|---" * (len(terms) + 4) + "|",
    ]
    for (row, seed), one in sorted(found.trainings.items(), key=lambda pair: _place(found, pair[0])):
        moved = [
            f"{one['first'][name]:.3g} → {one['last'][name]:.3g}" if name in one["last"] else NOTHING
            for name in terms
        ]
        rest = "yes" if one["converged"] else "no"
        lines.append(f"| {row} | {seed} | {one['epochs']} | {' | '.join(moved)} | {rest} |")
    return [*lines, ""]


def _place(found: Entries, training: tuple[str, int]) -> tuple[int, int]:
    """Where a training stands in the table: by row, then by seed."""
    row, seed = training
    return found.rows.index(row), seed


def render_columns(recipe: Recipe, found: Entries) -> list[str]:
    """For each column who measured it, on how many, what guessing gives, and whether it can carry a headline."""
    lines = [
        "| column | wanted | guessing | raw | people | videos | recordings | measured by | good for a headline |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    for column in found.columns:
        everything = [score for row in found.rows for score in found.scores(row, column).values()]
        raw = list(found.scores(recipe.raw, column).values())
        shown = mean_score(raw or everything)
        who = ", ".join(sorted({name for score in everything for name in score.by.split(", ") if name}))
        blind = why_blind(raw) if raw else "there is no raw row"
        lines.append(
            f"| {column} | {shown.better} | {_number(shown.chance)} | {_number(shown.value) if raw else NOTHING} "
            f"| {shown.people or NOTHING} | {shown.videos or NOTHING} | {shown.recordings or NOTHING} "
            f"| {who or NOTHING} "
            f"| {'no: ' + blind if blind else 'yes'} |"
        )
    if found.unmeasured:
        told = "; ".join(f"{column} ({why})" for column, why in found.unmeasured.items())
        lines += ["", f"Not measured, since the data do not allow it: {told}."]
    return lines


def render_claims(recipe: Recipe, found: Entries) -> list[str]:
    """The verdict on every claim of the recipe."""
    if not recipe.claims:
        return []
    lines = [
        f"- {text} ({source}): **{verdict.verdict}**. {verdict.in_full()}."
        for text, source, verdict in verdicts(recipe, found)
    ]
    return ["## Claims", "", *lines, ""]


def verdicts(recipe: Recipe, found: Entries | None) -> list[tuple[str, str, Verdict]]:
    """(claim, source, verdict) of every claim; without results nothing can be told."""
    if found is None:
        missing = Verdict(UNKNOWN, not_run=f"it needs the data `{recipe.data or 'FOLDER'}`")
        return [(claim.text, claim.source, missing) for claim in recipe.claims]
    return [(claim.text, claim.source, judge(claim, found, raw=recipe.raw_of)) for claim in recipe.claims]


def render_csv(recipe: Recipe, found: Entries) -> str:
    """One line per row and column: mean, half width, seeds, interval over people, guessing, the paper's number."""
    text = StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_COLUMNS)
    scale = 100 if recipe.paper and recipe.paper.percent else 1
    for row in recipe.rows:
        for column in found.columns:
            scores = list(found.scores(row.name, column).values())
            if not scores:
                continue
            shown, values = mean_score(scores), [score.value for score in scores]
            said = row.paper.get(column)
            writer.writerow(
                [
                    row.name,
                    column,
                    f"{shown.value:.6f}",
                    f"{half_width(values):.6f}",
                    len(values),
                    *(_csv_number(value) for value in (shown.low, shown.high, shown.chance)),
                    shown.better,
                    shown.by,
                    shown.people or "",
                    shown.videos or "",
                    shown.recordings or "",
                    "" if said is None else f"{said / scale:.6f}",
                ]
            )
    return text.getvalue()


def _csv_number(value: float | None) -> str:
    return "" if value is None else f"{value:.6f}"


def _number(value: float | None) -> str:
    return NOTHING if value is None else f"{value:.3f}"
