"""A bench's scores as a picture: a small chart per column, a dot with its interval per row."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from latentveil.bench.recipe import Recipe
from latentveil.bench.scores import Entries, half_width, mean_score

MAX_CHARTS = 4
DOT, GUESS, RAW, TEXT = "#2b5f8a", "#8a8a8a", "#c0772b", "#333333"
# In pixels: the height of a row and of the titles, the width of a chart and of the room between two, of a letter.
ROW, TITLES, AXIS, CHART, GAP, LETTER = 20, 44, 24, 170, 24, 6.2


@dataclass(frozen=True)
class _Dot:
    """The mean of a row's scores, and half of its interval over seeds."""

    value: float
    half: float


def render_plot(recipe: Recipe, found: Entries) -> str:
    """An SVG with a chart for each of the recipe's ``plot`` columns, or of the first ones."""
    columns = [column for column in (recipe.plot or found.columns[:MAX_CHARTS]) if column in found.columns]
    rows = [row.name for row in recipe.rows if row.name in found.rows]
    labels = 16 + LETTER * max(20, *map(len, rows))
    width, height = labels + len(columns) * (CHART + GAP), TITLES + ROW * len(rows) + AXIS
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height}" width="{width:.0f}" role="img" '
        f'aria-label="{escape(recipe.title, quote=True)}" font-family="sans-serif" font-size="11" fill="{TEXT}">',
        f'<rect width="{width:.0f}" height="{height}" fill="white"/>',
    ]
    for place, row in enumerate(rows):
        parts.append(_text(labels - 8, _height(place) + 4, row, anchor="end"))
    parts.append(_text(labels - 8, height - 9, "– – raw, ··· guessing", anchor="end", colour=GUESS))
    for number, column in enumerate(columns):
        parts.append(_chart(column, rows, recipe, found, left=labels + number * (CHART + GAP)))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _chart(column: str, rows: Sequence[str], recipe: Recipe, found: Entries, *, left: float) -> str:
    """One column: rows from top to bottom, raw features and guessing as lines."""
    values = {row: found.values(row, column) for row in rows}
    dots = {row: _Dot(float(np.mean(one)), half_width(one)) for row, one in values.items() if one}
    raw = list(found.scores(recipe.raw, column).values())
    lines = {RAW: mean_score(raw).value, GUESS: mean_score(raw).chance} if raw else {}
    marks = {colour: value for colour, value in lines.items() if value is not None}
    ends = [end for dot in dots.values() for end in (dot.value - dot.half, dot.value + dot.half)]
    low, high = _range([*ends, *marks.values()])

    def across(value: float) -> float:
        return left + CHART * (value - low) / (high - low)

    better = (raw or [score for row in rows for score in found.scores(row, column).values()])[0].better
    bottom = TITLES + ROW * len(rows)
    parts = [
        _text(left, 14, column),
        _text(left, 29, f"({'lower' if better == 'low' else 'higher'} is better)", colour=GUESS),
        f'<line x1="{left:.1f}" x2="{left + CHART:.1f}" y1="{bottom}" y2="{bottom}" stroke="{GUESS}"/>',
        _text(left, bottom + 15, f"{low:.2f}"),
        _text(left + CHART, bottom + 15, f"{high:.2f}", anchor="end"),
    ]
    for colour, value in marks.items():
        parts.append(
            f'<line x1="{across(value):.1f}" x2="{across(value):.1f}" y1="{TITLES - 6}" y2="{bottom}" '
            f'stroke="{colour}" stroke-dasharray="{"4 3" if colour == RAW else "1 3"}"/>'
        )
    for place, row in enumerate(rows):
        if row in dots:
            parts.append(_row(dots[row], _height(place), across))
    return "\n".join(parts)


def _row(dot: _Dot, height: float, across: Callable[[float], float]) -> str:
    """A dot on the line of its interval."""
    start, end = across(dot.value - dot.half), across(dot.value + dot.half)
    return (
        f'<line x1="{start:.1f}" x2="{end:.1f}" y1="{height}" y2="{height}" stroke="{DOT}" stroke-width="2"/>'
        f'<circle cx="{across(dot.value):.1f}" cy="{height}" r="4" fill="{DOT}">'
        f"<title>{dot.value:.3f} ± {dot.half:.3f}</title></circle>"
    )


def _height(place: int) -> float:
    return TITLES + ROW * (place + 0.5)


def _range(values: Sequence[float]) -> tuple[float, float]:
    """The ends of an axis that holds ``values``, a little wider than they are."""
    low, high = min(values, default=0.0), max(values, default=1.0)
    room = 0.05 * (high - low) or 0.05
    return low - room, high + room


def _text(x: float, y: float, text: str, *, anchor: str = "start", colour: str = TEXT) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" fill="{colour}">{escape(text)}</text>'
