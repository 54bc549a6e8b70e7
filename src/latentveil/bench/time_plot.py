"""Scores over time as a picture: a line per row, time on a logarithmic axis."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 720, 320, 56, 200, 24, 44
COLOURS = ("#2b5f8a", "#c0772b", "#5b8a2b", "#8a2b5f", "#555555", "#2b8a80")
TEXT = "#333333"


@dataclass(frozen=True)
class Curve:
    """The ``points`` (seconds, score) of one row; a single one is drawn as a level."""

    name: str
    points: Sequence[tuple[float, float]]


def render_time_plot(title: str, curves: Sequence[Curve]) -> str:
    """An SVG of score over core seconds."""
    times = [max(seconds, 1.0) for curve in curves for seconds, _ in curve.points]
    scores = [score for curve in curves for _, score in curve.points]
    first, last = 10 ** math.floor(math.log10(min(times))), 10 ** math.ceil(math.log10(max(times) * 1.001))
    low, high = min(scores), max(scores)
    room = max(0.02, 0.1 * (high - low))

    def across(seconds: float) -> float:
        share = (math.log10(max(seconds, first)) - math.log10(first)) / math.log10(last / first)
        return LEFT + share * (WIDTH - LEFT - RIGHT)

    def height(score: float) -> float:
        return TOP + (high + room - score) / (high - low + 2 * room) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" role="img" '
        f'aria-label="{escape(title, quote=True)}" font-family="sans-serif" font-size="11" fill="{TEXT}">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
        _text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 8, "core seconds", anchor="middle"),
        _text(LEFT, TOP - 8, "score of Eq. 14", anchor="middle"),
        f'<path d="M{LEFT} {TOP}V{HEIGHT - BOTTOM}H{WIDTH - RIGHT}" fill="none" stroke="{TEXT}"/>',
    ]
    for power in range(round(math.log10(first)), round(math.log10(last)) + 1):
        parts.append(_text(across(10**power), HEIGHT - BOTTOM + 16, f"{10**power:g}", anchor="middle"))
    for score in (low, (low + high) / 2, high):
        parts.append(_text(LEFT - 6, height(score) + 4, f"{score:.3f}", anchor="end"))
    for number, curve in enumerate(curves):
        places = [(across(seconds), height(score)) for seconds, score in curve.points]
        parts += _line(places, curve.name, COLOURS[number % len(COLOURS)], row=number)
    return "\n".join([*parts, "</svg>"]) + "\n"


def _line(places: Sequence[tuple[float, float]], name: str, colour: str, *, row: int) -> list[str]:
    """One row: a line with dots, or a dashed level, and its name in the margin."""
    if len(places) == 1:
        (_, y), (left, right) = places[0], (LEFT, WIDTH - RIGHT)
        parts = [f'<path d="M{left} {y:.1f}H{right}" stroke="{colour}" stroke-dasharray="5 4"/>']
    else:
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        parts = [f'<path d="{path}" fill="none" stroke="{colour}" stroke-width="1.6"/>']
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    here = TOP + 14 + 18 * row
    mark = f'<path d="M{WIDTH - RIGHT + 12} {here - 4}h18" stroke="{colour}" stroke-width="2"/>'
    return [*parts, mark, _text(WIDTH - RIGHT + 36, here, name, anchor="start")]


def _text(x: float, y: float, text: str, *, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'
