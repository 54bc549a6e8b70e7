"""The report: one self-contained HTML page from an audit's plain results, and the same as Markdown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from latentveil.report.certificate import certificate_in_words
from latentveil.report.charts import CLASS_COLOURS, RangeRow, cloud_chart, curve_chart, range_chart
from latentveil.report.extras import Extras as Extras
from latentveil.report.extras import FeatureMap as FeatureMap
from latentveil.report.headline import (
    graded_readings,
    headline,
    removed_range,
    reservations,
    verdict_in_words,
)
from latentveil.report.mapping import mapping_rows, not_tested_in_words
from latentveil.report.recipients import recipient_rows
from latentveil.report.risks import (
    inference_rows,
    known_rows,
    link_rows,
    recipient_in_words,
    risks_in_words,
)
from latentveil.report.words import (
    attacker_in_words,
    clips_in_words,
    coverage_in_words,
    holder_in_words,
    interval,
    inversion_in_words,
    metric_in_words,
    more_in_words,
    number,
    percent,
    plain,
    removed_in_words,
    removed_over_floor_in_words,
)
from latentveil.results.audit import AuditResults, Inversion
from latentveil.types import EncoderInfo

UNKNOWN_WEIGHTS = "unknown"  # of features that came ready made
TEMPLATES = Path(__file__).parent / "templates"
RECONSTRUCTIONS = {
    "raw": "raw features",
    "adaptive": "anonymized features, decoder trained on them (adaptive)",
    "non_adaptive": "anonymized features, decoder of raw features (non adaptive)",
    "mean_frame": "no feature at all (mean frame)",
}


def render_html(audit: AuditResults, extras: Extras | None = None) -> str:
    """The page for an audit: everything inline, nothing from foreign hosts."""
    return _render("report.html", audit, extras or Extras(), escape_html=True)


def render_markdown(audit: AuditResults) -> str:
    """The audit as Markdown tables."""
    return _render("audit.md", audit, Extras(), escape_html=False)


def render_notebook(audit: AuditResults) -> str:
    """The headline and two small tables as HTML, for a cell of a notebook."""
    return _render("notebook.html", audit, Extras(), escape_html=True)


def render_risks(audit: AuditResults) -> str:
    """The section on the three risks as Markdown."""
    return _render("risks.md", audit, Extras(), escape_html=False)


def _render(template: str, audit: AuditResults, extras: Extras, *, escape_html: bool) -> str:
    return _environment(escape_html=escape_html).get_template(template).render(**_content(audit, extras))


def _environment(*, escape_html: bool) -> Environment:
    environment = Environment(
        loader=FileSystemLoader(TEMPLATES),
        autoescape=escape_html,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "percent": percent,
        "number": number,
        "interval": interval,
        "plain": plain,
        "metric": metric_in_words,
        "clips": clips_in_words,
        "removed": removed_in_words,
        "removed_over_floor": removed_over_floor_in_words,
    }
    return environment


def _content(audit: AuditResults, extras: Extras) -> dict[str, Any]:
    """Everything that a template may show."""
    terms = {name for entry in extras.training_log for name in entry} - {"epoch", "finite"}
    secrets, tasks = _secret_rows(audit), _task_rows(audit)
    return {
        "audit": audit,
        "headline": headline(audit),
        "graded": graded_readings(audit),
        "removed_range": removed_range(audit),
        "more_found": more_in_words(audit.summary.leakage_removed),
        "attacker": attacker_in_words(audit),
        "facts": _facts(audit),
        "sign_off": _sign_off(audit),
        "reservations": reservations(audit),
        "pictures_in_words": inversion_in_words(audit),
        "secret_chart": range_chart(secrets, mark_name="guessing") if secrets else "",
        "task_chart": range_chart(tasks, mark_name="guessing") if tasks else "",
        "curves": [
            curve_chart(name, [entry[name] for entry in extras.training_log]) for name in sorted(terms)
        ],
        "clouds": _clouds(extras.feature_map),
        "feature_map": extras.feature_map,
        "class_colours": CLASS_COLOURS,
        "pictures": extras.pictures_as_text(),
        "inversion_rows": _inversion_rows(audit.inversion),
        "verdict": verdict_in_words(audit)[1:],
        "certificate": certificate_in_words(audit),
        "recipient": recipient_in_words(audit),
        "risks_in_words": risks_in_words(audit),
        "recipient_rows": recipient_rows(audit),
        "known_rows": known_rows(audit.risks),
        "link_rows": link_rows(audit.risks),
        "inference_rows": inference_rows(audit.risks),
        "mapping_rows": mapping_rows(audit),
        "risks_not_tested": not_tested_in_words(audit),
    }


def _facts(audit: AuditResults) -> list[tuple[str, str]]:
    """How it was measured, as (what, value); what was not recorded is left out."""
    data, encoder, adapter = audit.data, audit.encoder, audit.adapter
    amounts = [
        (data.videos, "videos"),
        (data.clips, "clips"),
        (data.people, "people"),
        (data.recordings, "recordings"),
    ]
    facts = {
        "date": data.date,
        "encoder": _encoder_in_words(encoder),
        "adapter": f"{adapter.name} {adapter.sha256}" if adapter else "none recorded",
        "data": ", ".join(f"{count} {what}" for count, what in amounts if count is not None),
        "labels": f"{data.labels}. {coverage_in_words(data) or ''}".strip(" ."),
        "raw store": data.raw_sha256,
        "anonymized store": data.anonymized_sha256,
        "attacks": ", ".join(data.attacks),
        "seed": str(audit.seed),
        "version": f"latentveil {audit.version}",
    }
    return [(what, value) for what, value in facts.items() if value]


def _encoder_in_words(encoder: EncoderInfo | None) -> str:
    if encoder is None:
        return "not recorded"
    weights = encoder.weights_sha256
    return f"{encoder.name}, weights {'not recorded' if weights in ('', UNKNOWN_WEIGHTS) else weights}"


def _sign_off(audit: AuditResults) -> list[tuple[str, str]]:
    """What somebody signs for, as (what, value): the release, who gets it, what was asked of it, what is open."""
    untested = len(audit.not_tested) + len(not_tested_in_words(audit))
    return [
        ("release", audit.data.anonymized_sha256 or "not recorded"),
        ("audited on", audit.data.date or "not recorded"),
        ("recipient", f"who holds {holder_in_words(audit)[0]}" if audit.recipient else "not named"),
        ("limit", verdict_in_words(audit)[0]),
        (
            "open",
            f"{len(audit.flags)} reasons not to trust a number, {untested} things not tested; see above",
        ),
    ]


def _secret_rows(audit: AuditResults) -> list[RangeRow]:
    return [
        RangeRow(
            label=plain(one.secret),
            note=f"{clips_in_words(one.kind)}, {metric_in_words(one.metric)}",
            raw=one.worst.raw,
            anonymized=one.worst.anonymized,
            mark=one.chance,
        )
        for one in audit.readings
    ]


def _task_rows(audit: AuditResults) -> list[RangeRow]:
    return [
        RangeRow(
            label=plain(name),
            note=metric_in_words(task.metric),
            raw=task.raw,
            anonymized=task.anonymized,
            mark=task.chance,
        )
        for name, task in audit.tasks.items()
    ]


def _inversion_rows(inversion: Inversion | None) -> list[dict[str, str]]:
    """The table of reconstructions, numbers as text; a kind that was not measured is left out."""
    if inversion is None:
        return []
    return [
        {
            "label": label,
            "psnr": interval(inversion.psnr[kind], digits=1),
            "ssim": interval(inversion.ssim[kind]),
            "attribute": interval(inversion.attribute.named[kind]),
        }
        for kind, label in RECONSTRUCTIONS.items()
        if kind in inversion.psnr
    ]


def _clouds(feature_map: FeatureMap | None) -> list[str]:
    if feature_map is None:
        return []
    return [
        cloud_chart("before", feature_map.before, feature_map.classes),
        cloud_chart("after", feature_map.after, feature_map.classes),
    ]
