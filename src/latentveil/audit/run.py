"""Audit two stores: what leaks, what stays, as audit.json, audit.md and report.html in one folder."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from latentveil import __version__
from latentveil.adapters.anonymize import redraw
from latentveil.audit.extras import feature_map, read_training_log
from latentveil.audit.files import fill_card
from latentveil.audit.inputs import AuditInputs, read_stores
from latentveil.audit.measure import AuditPlan, all_secrets, audit_features
from latentveil.audit.omissions import blank_unknown
from latentveil.audit.pictures import invert_clips
from latentveil.audit.reconstruction import visible_secret
from latentveil.audit.result import Audit, require_report_folder
from latentveil.progress import OnProgress, Progress, silent
from latentveil.report.page import Extras
from latentveil.results import Attacker, Inversion

PICTURES = "pictures from features"
CLIP_FRAMES = 16  # of features whose encoder is not known


def audit(
    raw: str | Path,
    anonymized: str | Path,
    output: str | Path,
    *,
    labels: str | Path,
    plan: AuditPlan | None = None,
    adapter: str | Path | None = None,
    videos: str | Path | None = None,
    on_progress: OnProgress = silent,
) -> Audit:
    """Measure, write audit.json, audit.md and report.html to the folder ``output`` and give what was found.

    With ``adapter`` an attacker is tried who holds it too, the folder's privacy card is filled from this audit, and the
    page shows its training curves.
    With ``videos``, the folder that the stores' videos are in, decoders try to bring the picture back from features;
    the page then shows some frames of the videos.
    """
    require_report_folder(Path(output))
    inputs = read_stores(raw, anonymized, labels=labels, adapter=adapter)
    found = audit_inputs(inputs, plan or AuditPlan(), videos=videos, on_progress=on_progress)
    found = replace(found, extras=replace(found.extras, training_log=read_training_log(adapter)))
    found.save(output)
    if adapter is not None and Path(adapter).is_dir():
        fill_card(adapter, found, adapter=inputs.adapter)
    return found


def audit_inputs(
    inputs: AuditInputs,
    plan: AuditPlan,
    *,
    videos: str | Path | None = None,
    on_progress: OnProgress = silent,
) -> Audit:
    """Measure what is in memory; nothing is written."""
    plan = replace(plan, timing=inputs.timing or plan.timing)
    labels, _ = blank_unknown(inputs.labels, plan.secrets)
    secrets = plan.secrets or all_secrets(labels)
    inversion: Inversion | None = None
    pictures: dict[str, bytes] = {}
    if videos is not None:
        on_progress(Progress(PICTURES, 0, 1))
        inversion, pictures = invert_clips(
            inputs.raw,
            inputs.anonymized,
            labels=labels,
            secret=visible_secret(secrets),
            videos=videos,
            clip_frames=inputs.encoder.clip_frames if inputs.encoder else CLIP_FRAMES,
            seed=plan.seed,
        )
        on_progress(Progress(PICTURES, 1, 1))
    redrawn = [] if inputs.adapter is None else redraw(inputs.adapter, inputs.raw, seed=plan.seed)
    found = audit_features(
        inputs.raw, inputs.anonymized, inputs.labels, plan, redrawn=redrawn, on_progress=on_progress
    )
    shown = feature_map(inputs.raw, inputs.anonymized, labels, secrets=secrets, name_people=plan.name_people)
    return Audit(
        version=__version__,
        encoder=inputs.encoder,
        adapter=inputs.made_by,
        data=replace(inputs.data, attacks=found.attacks),
        seed=plan.seed,
        attacker=Attacker(holds_adapter=inputs.adapter is not None, redrawn_copies=len(redrawn)),
        secrets=found.secrets,
        tasks=found.tasks,
        flags=found.flags,
        not_tested=found.not_tested,
        inversion=inversion,
        summary=found.summary,
        extras=Extras(feature_map=shown, pictures=pictures),
    )
