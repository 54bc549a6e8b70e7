"""A bench's scores as a picture: a small chart per column, a dot with its interval per row."""

from __future__ import annotations

from io import StringIO

import numpy as np

from latentveil.bench.recipe import Recipe
from latentveil.bench.scores import Entries, half_width, mean_score

MAX_CHARTS = 4
DOT, GUESS, RAW = "#2b5f8a", "#b0b0b0", "#c0772b"


def render_plot(recipe: Recipe, found: Entries) -> str:
    """An SVG with a chart for each of the recipe's ``plot`` columns, or of the first ones; it holds no date."""
    import matplotlib
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    columns = [column for column in (recipe.plot or found.columns[:MAX_CHARTS]) if column in found.columns]
    rows = [row.name for row in recipe.rows if row.name in found.rows]
    with matplotlib.rc_context({"svg.hashsalt": "latentveil", "font.size": 8}):
        figure = Figure(figsize=(1.4 + 2.3 * len(columns), 0.9 + 0.26 * len(rows)), layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.subplots(1, max(1, len(columns)), sharey=True, squeeze=False)[0]
        for chart, column in zip(axes, columns):
            _draw(chart, column, rows, recipe, found)
        text = StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return "\n".join(line.rstrip() for line in text.getvalue().splitlines()) + "\n"


def _draw(chart, column: str, rows: list[str], recipe: Recipe, found: Entries) -> None:  # type: ignore[no-untyped-def]
    """One column: rows from top to bottom, raw features and guessing as lines."""
    for place, row in enumerate(rows):
        values = found.values(row, column)
        if values:
            chart.errorbar(
                np.mean(values), place, xerr=half_width(values), fmt="o", markersize=4, color=DOT, capsize=2
            )
    raw = list(found.scores(recipe.raw, column).values())
    if raw:
        shown = mean_score(raw)
        chart.axvline(shown.value, color=RAW, linewidth=0.8, linestyle="--")
        if shown.chance is not None:
            chart.axvline(shown.chance, color=GUESS, linewidth=0.8, linestyle=":")
    better = (raw or [score for row in rows for score in found.scores(row, column).values()])[0].better
    chart.set_title(f"{column}\n({'lower' if better == 'low' else 'higher'} is better)", fontsize=8)
    chart.set_yticks(range(len(rows)), rows)
    chart.set_ylim(len(rows) - 0.5, -0.5)
    for side in ("top", "right"):
        chart.spines[side].set_visible(False)
