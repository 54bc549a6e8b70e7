"""Charts as inline SVG text: ranges with intervals, curves, and clouds of points."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

import numpy as np

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
ROW_HEIGHT = 46


@dataclass(frozen=True)
class RangeRow:
    """One row of a range chart: raw and anonymized value with interval ends (low, value, high), and a mark."""

    label: str
    note: str
    raw: tuple[float, float, float]
    anonymized: tuple[float, float, float]
    mark: float | None = None


def range_chart(rows: Sequence[RangeRow], *, mark_name: str) -> str:
    """Rows of raw (grey) and anonymized (blue) intervals on an axis from 0 to 1; a tick shows each row's mark."""
    left, right, top = 190, 40, 34
    width, height = 760, top + ROW_HEIGHT * len(rows) + 28

    def x(value: float) -> float:
        return round(left + (width - left - right) * min(max(value, 0.0), 1.0), 1)

    parts = [_open(width, height, f"raw and anonymized values with {mark_name}")]
    bottom = top + ROW_HEIGHT * len(rows)
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<line class="grid" x1="{x(tick)}" x2="{x(tick)}" y1="{top}" y2="{bottom}"/>')
        parts.append(
            f'<text class="tick" x="{x(tick)}" y="{bottom + 18}" text-anchor="middle">{tick:g}</text>'
        )
    parts.append(_legend(left, mark_name))
    for number, row in enumerate(rows):
        y = top + ROW_HEIGHT * number + ROW_HEIGHT / 2
        parts.append(
            f'<text class="label" x="{left - 14}" y="{y - 2}" text-anchor="end">{escape(row.label)}</text>'
        )
        parts.append(
            f'<text class="note" x="{left - 14}" y="{y + 13}" text-anchor="end">{escape(row.note)}</text>'
        )
        for style, (low, value, high), shift in (("raw", row.raw, -8), ("safe", row.anonymized, 8)):
            place = y + shift
            if np.isfinite([low, high]).all():
                parts.append(
                    f'<line class="{style}" x1="{x(low)}" x2="{x(high)}" y1="{place}" y2="{place}"/>'
                )
            title = f"{value:.3f} [{low:.3f}, {high:.3f}]"
            parts.append(
                f'<circle class="{style}" cx="{x(value)}" cy="{place}" r="5"><title>{title}</title></circle>'
            )
        if row.mark is not None:
            parts.append(
                f'<line class="mark" x1="{x(row.mark)}" x2="{x(row.mark)}" y1="{y - 17}" y2="{y + 17}"/>'
            )
    return "".join(parts) + "</svg>"


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


def _legend(left: int, mark_name: str) -> str:
    entries = (("raw", "raw", 0), ("safe", "anonymized", 70))
    dots = "".join(
        f'<circle class="{style}" cx="{left + shift}" cy="14" r="5"/>'
        f'<text class="tick" x="{left + shift + 10}" y="18">{name}</text>'
        for style, name, shift in entries
    )
    tick = left + 190
    return (
        f'{dots}<line class="mark" x1="{tick}" x2="{tick}" y1="6" y2="22"/>'
        f'<text class="tick" x="{tick + 8}" y="18">{escape(mark_name)}</text>'
    )
