"""The report: one self-contained HTML page from an audit's plain results, and the same as Markdown."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from latentveil.report.charts import CLASS_COLOURS, RangeRow, cloud_chart, curve_chart, range_chart
from latentveil.report.words import (
    attacker_in_words,
    headline,
    interval,
    inversion_in_words,
    percent,
    secret_in_words,
)

TEMPLATES = Path(__file__).parent / "templates"
RECONSTRUCTIONS = {
    "raw": "raw features",
    "adaptive": "anonymized features, decoder trained on them (adaptive)",
    "non_adaptive": "anonymized features, decoder of raw features (non adaptive)",
    "mean_frame": "no feature at all (mean frame)",
}


@dataclass(frozen=True)
class FeatureMap:
    """Two-dimensional pictures (N, 2) of the same clips before and after, and the class (N,) of each."""

    secret: str
    classes: list[int]
    names: list[str]
    before: list[list[float]]
    after: list[list[float]]


@dataclass(frozen=True)
class Extras:
    """What a report shows beside the audit's numbers, where it is known.

    ``training_log`` has one dictionary of loss terms per epoch; ``pictures`` maps captions to PNG images.
    """

    training_log: Sequence[dict[str, float]] = ()
    feature_map: FeatureMap | None = None
    pictures: dict[str, bytes] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; pictures become base64 text."""
        return {
            "training_log": list(self.training_log),
            "feature_map": None if self.feature_map is None else asdict(self.feature_map),
            "pictures": _as_text(self.pictures),
        }

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Extras:
        """What ``to_dict`` gave."""
        found = values["feature_map"]
        return cls(
            training_log=values["training_log"],
            feature_map=None if found is None else FeatureMap(**found),
            pictures={caption: base64.b64decode(text) for caption, text in values["pictures"].items()},
        )


def render_html(audit: dict[str, Any], extras: Extras | None = None) -> str:
    """The page for an audit: everything inline, nothing from foreign hosts."""
    return (
        _environment(escape_html=True)
        .get_template("report.html")
        .render(**_content(audit, extras or Extras()))
    )


def render_markdown(audit: dict[str, Any]) -> str:
    """The audit as Markdown tables."""
    return _environment(escape_html=False).get_template("audit.md").render(**_content(audit, Extras()))


def _environment(*, escape_html: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=escape_html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {"percent": percent, "interval": interval}
    return environment


def _content(audit: dict[str, Any], extras: Extras) -> dict[str, Any]:
    secrets = [
        RangeRow(
            label=name.removesuffix("_static").replace("_", " "),
            note=f"{'clips' if secret['kind'] == 'temporal' else 'stills'}, {secret['metric'].replace('_', ' ')}",
            raw=_ends(secret["worst"]["raw"]),
            anonymized=_ends(secret["worst"]["anonymized"]),
            mark=secret["chance"],
        )
        for name, secret in audit["secrets"].items()
    ]
    tasks = [
        RangeRow(
            label=name,
            note=task["metric"],
            raw=_ends(task["raw"]),
            anonymized=_ends(task["anonymized"]),
            mark=task["chance"],
        )
        for name, task in audit["tasks"].items()
    ]
    terms = {name for entry in extras.training_log for name in entry} - {"epoch", "finite"}
    return {
        "audit": audit,
        "headline": headline(audit),
        "attacker": attacker_in_words(audit),
        "pictures_in_words": inversion_in_words(audit),
        "secret_chart": range_chart(secrets, mark_name="guessing") if secrets else "",
        "task_chart": range_chart(tasks, mark_name="guessing") if tasks else "",
        "curves": [
            curve_chart(name, [entry[name] for entry in extras.training_log]) for name in sorted(terms)
        ],
        "clouds": _clouds(extras.feature_map),
        "feature_map": extras.feature_map,
        "class_colours": CLASS_COLOURS,
        "pictures": _as_text(extras.pictures),
        "inversion": audit.get("inversion"),
        "inversion_rows": _inversion_rows(audit.get("inversion")),
        "secret_in_words": secret_in_words,
    }


def _inversion_rows(inversion: dict[str, Any] | None) -> list[dict[str, str]]:
    """The table of reconstructions, numbers as text; a kind that was not measured is left out."""
    if inversion is None:
        return []
    return [
        {
            "label": label,
            "psnr": interval(inversion["psnr"][kind], digits=1),
            "ssim": interval(inversion["ssim"][kind]),
            "attribute": interval(inversion["attribute"][kind]),
        }
        for kind, label in RECONSTRUCTIONS.items()
        if kind in inversion["psnr"]
    ]


def _as_text(pictures: dict[str, bytes]) -> dict[str, str]:
    return {caption: base64.b64encode(png).decode() for caption, png in pictures.items()}


def _clouds(feature_map: FeatureMap | None) -> list[str]:
    if feature_map is None:
        return []
    return [
        cloud_chart("before", feature_map.before, feature_map.classes),
        cloud_chart("after", feature_map.after, feature_map.classes),
    ]


def _ends(found: dict[str, float | None]) -> tuple[float, float, float]:
    """(low, value, high), NaN where unknown."""
    low, value, high = found["low"], found["value"], found["high"]
    nan = float("nan")
    return nan if low is None else low, nan if value is None else value, nan if high is None else high
