"""The trade-off as a picture: unseen actions kept against naming gone, a panel per set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape

from benchmarks.pages.transport.measured import Entry
from benchmarks.pages.transport.rows import ROWS
from benchmarks.pages.transport.verdicts import UNSEEN, gone, kept

COLOURS = {
    "noise": "#8a8a8a",
    "veil": "#c0772b",
    "motion": "#5a8a2b",
    "transport": "#2b5f8a",
    "transport, no label": "#8a2b6f",
    "transport, then veil": "#2b8a83",
}
PANEL, GAP, TOP, BOTTOM, LEGEND = 220, 60, 40, 40, 130  # pixels
MOST_KEPT = 1.25


def render_chart(entries: Mapping[str, Sequence[Entry]]) -> str:
    """An SVG with a panel for each set that has points."""
    panels = [(name, _points(found)) for name, found in entries.items()]
    panels = [(name, points) for name, points in panels if points]
    right = GAP + len(panels) * (PANEL + GAP)
    width, height = right + LEGEND, TOP + PANEL + BOTTOM
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" role="img" '
        f'aria-label="unseen actions kept against naming gone" font-family="sans-serif" font-size="11" fill="#333333">',
        f'<rect width="{width}" height="{height}" fill="white"/>',
    ]
    for place, (name, points) in enumerate(panels):
        parts.append(_panel(name, points, left=GAP + place * (PANEL + GAP)))
    for place, (curve, colour) in enumerate(COLOURS.items()):
        x, y = right - GAP + 20, TOP + 10 + 18 * place
        parts.append(
            f'<circle cx="{x}" cy="{y}" r="4" fill="{colour}"/><text x="{x + 10}" y="{y + 4}">{curve}</text>'
        )
    return "\n".join([*parts, "</svg>"]) + "\n"


def _points(entries: Sequence[Entry]) -> dict[str, list[tuple[float, float]]]:
    """For each curve its points (naming gone, actions kept), in order."""
    found: dict[str, list[tuple[float, float]]] = {}
    for row in ROWS:
        if row.curve:
            across, up = gone(entries, row.name, "named"), kept(entries, row.name, UNSEEN)
            if across is not None and up is not None:
                found.setdefault(row.curve, []).append((across, up))
    return {curve: sorted(points) for curve, points in found.items()}


def _panel(name: str, points: Mapping[str, Sequence[tuple[float, float]]], *, left: float) -> str:
    def place(across: float, up: float) -> tuple[float, float]:
        return left + PANEL * across, TOP + PANEL * (1 - min(up, MOST_KEPT) / MOST_KEPT)

    parts = [
        f'<text x="{left}" y="{TOP - 12}" font-weight="bold">{escape(name.upper())}</text>',
        f'<rect x="{left}" y="{TOP}" width="{PANEL}" height="{PANEL}" fill="none" stroke="#cccccc"/>',
        f'<text x="{left + PANEL / 2}" y="{TOP + PANEL + 28}" text-anchor="middle">naming gone</text>',
        f'<text transform="translate({left - 38},{TOP + PANEL / 2}) rotate(-90)" text-anchor="middle">'
        "unseen actions kept</text>",
    ]
    for share in (0.0, 0.5, 1.0):
        x, y = place(share, share)
        parts += [
            f'<text x="{x:.0f}" y="{TOP + PANEL + 14}" text-anchor="middle">{share:.0%}</text>',
            f'<text x="{left - 4}" y="{y + 4:.0f}" text-anchor="end">{share:.0%}</text>',
            f'<line x1="{left}" x2="{left + PANEL}" y1="{y:.0f}" y2="{y:.0f}" stroke="#eeeeee"/>',
        ]
    for curve, found in points.items():
        dots = [place(*point) for point in found]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in dots)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{COLOURS[curve]}"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{COLOURS[curve]}"/>' for x, y in dots]
    return "\n".join(parts)
