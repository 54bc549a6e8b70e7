"""Charts as inline SVG text: ranges with intervals, curves, and clouds of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

from latentveil.types import Interval

# Colour-blind safe (Okabe and Ito); a class beyond these shares a colour with an earlier one.
CLASS_COLOURS = (
    "#0072b2",
    "#e69f00",
    "#009e73",
    "#cc79a7",
    "#56b4e9",
    "#d55e00",
    "#f0e442",
    "#8c6bb1",
    "#666666",
    "#a6761d",
)
# A range chart is as wide as the page allows: places across are in per cent of that, so that text keeps its size on a
# phone. Everything else is in pixels.
EDGE_PERCENT = 3.0
ROW_HEIGHT, LEGEND_HEIGHT, AXIS_HEIGHT = 58, 30, 26


@dataclass(frozen=True)
class RangeRow:
    """One row of a range chart: raw and anonymized value with their intervals, and a mark."""

    label: str
    note: str
    raw: Interval
    anonymized: Interval
    mark: float | None = None


def range_chart(rows: Sequence[RangeRow], *, mark_name: str) -> str:
    """Rows of raw (grey) and anonymized (blue) intervals on an axis from 0 to 1; a tick shows each row's mark."""
    bottom = LEGEND_HEIGHT + ROW_HEIGHT * len(rows)
    title = escape(f"raw and anonymized values with {mark_name}")
    parts = [f'<svg width="100%" height="{bottom + AXIS_HEIGHT}" role="img" aria-label="{title}">']
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(
            f'<line class="grid" x1="{_x(tick)}" x2="{_x(tick)}" y1="{LEGEND_HEIGHT}" y2="{bottom}"/>'
            f'<text class="tick" x="{_x(tick)}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>'
        )
    parts.append(_legend(mark_name))
    parts += [_range_row(row, top=LEGEND_HEIGHT + ROW_HEIGHT * index) for index, row in enumerate(rows)]
    return "".join(parts) + "</svg>"


def _range_row(row: RangeRow, *, top: float) -> str:
    """The label and its note above two bars."""
    parts = [
        f'<text class="label" x="{_x(0)}" y="{top + 18}">{escape(row.label)}'
        f'<tspan class="note" dx="8">{escape(row.note)}</tspan></text>'
    ]
    for style, found, place in (("raw", row.raw, top + 31), ("safe", row.anonymized, top + 45)):
        if np.isfinite([found.low, found.high]).all():
            parts.append(
                f'<line class="{style}" x1="{_x(found.low)}" x2="{_x(found.high)}" y1="{place}" y2="{place}"/>'
            )
        if np.isfinite(found.value):
            parts.append(
                f'<circle class="{style}" cx="{_x(found.value)}" cy="{place}" r="5"><title>{found}</title></circle>'
            )
    if row.mark is not None and np.isfinite(row.mark):
        parts.append(
            f'<line class="mark" x1="{_x(row.mark)}" x2="{_x(row.mark)}" y1="{top + 23}" y2="{top + 53}"/>'
        )
    return "".join(parts)


def _x(value: float) -> str:
    """Where a value from 0 to 1 is across a range chart."""
    return f"{EDGE_PERCENT + (100 - 2 * EDGE_PERCENT) * min(max(value, 0.0), 1.0):.2f}%"


def curve_chart(name: str, values: Sequence[float]) -> str:
    """One loss term over the epochs, with its first and last value written out."""
    width, height, edge = 240, 120, 26
    numbers = np.asarray(values, dtype=float)
    finite = numbers[np.isfinite(numbers)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    span = (high - low) or 1.0
    steps = max(len(numbers) - 1, 1)
    places = [
        (
            edge + (width - 2 * edge) * index / steps,
            height - edge - (height - 2 * edge) * (value - low) / span,
        )
        for index, value in enumerate(numbers)
        if np.isfinite(value)
    ]
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    first, last = (f"{value:.3g}" for value in (numbers[0], numbers[-1]))
    return (
        f"{_open(width, height, f'{name} over the epochs')}"
        f'<text class="label" x="{edge}" y="16">{escape(name)}</text>'
        f'<polyline class="curve" points="{points}"/>'
        f'<text class="tick" x="{edge}" y="{height - 6}">{first}</text>'
        f'<text class="tick" x="{width - edge}" y="{height - 6}" text-anchor="end">{last}</text></svg>'
    )


def cloud_chart(title: str, points: Sequence[Sequence[float]], classes: Sequence[int]) -> str:
    """Points (N, 2) in a square, coloured by class (N,)."""
    side, edge = 340, 30
    places = np.asarray(points, dtype=float).reshape(-1, 2)
    low, span = places.min(axis=0), np.ptp(places, axis=0)
    scaled = edge + (side - 2 * edge) * (places - low) / np.where(span > 0, span, 1.0)  # (N, 2)
    dots = "".join(
        f'<circle cx="{a:.1f}" cy="{b:.1f}" r="3" fill="{CLASS_COLOURS[c % len(CLASS_COLOURS)]}" fill-opacity="0.7"/>'
        for (a, b), c in zip(scaled, classes)
    )
    return (
        f"{_open(side, side, title)}"
        f'<rect class="frame" x="8" y="22" width="{side - 16}" height="{side - 30}" rx="6"/>'
        f'<text class="label" x="10" y="14">{escape(title)}</text>{dots}</svg>'
    )


def _open(width: float, height: float, title: str) -> str:
    return f'<svg viewBox="0 0 {width} {height}" width="{width}" role="img" aria-label="{escape(title)}">'


def _legend(mark_name: str) -> str:
    dots = "".join(
        f'<circle class="{style}" cx="{left}" cy="12" r="5"/><text class="tick" x="{left + 10}" y="16">{name}</text>'
        for style, name, left in (("raw", "raw", 14), ("safe", "anonymized", 76))
    )
    return (
        f'{dots}<line class="mark" x1="186" x2="186" y1="3" y2="21"/>'
        f'<text class="tick" x="194" y="16">{escape(mark_name)}</text>'
    )
