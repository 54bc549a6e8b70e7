"""Audit two stores: what leaks, what stays, as audit.json, audit.md and report.html in one folder."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from latentveil import __version__
from latentveil.adapters.adapter import TRAINING_FOLDER, load_adapter
from latentveil.adapters.anonymize import redraw
from latentveil.audit.files import (
    fill_card,
    require_audited_adapter,
    require_report_folder,
    write_report,
)
from latentveil.audit.measure import AuditPlan, all_secrets, audit_features
from latentveil.audit.pictures import invert_clips
from latentveil.audit.reconstruction import visible_secret
from latentveil.labels import IDENTITY, Labels
from latentveil.report.page import Extras, FeatureMap
from latentveil.store import FeatureStore
from latentveil.store.labelled import labels_for
from latentveil.types import TEMPORAL, FeatureSet

MAP_CLIPS = 600
MAP_CLASSES = 10


def audit(
    raw: str | Path,
    anonymized: str | Path,
    output: str | Path,
    *,
    labels: str | Path,
    plan: AuditPlan | None = None,
    adapter: str | Path | None = None,
    videos: str | Path | None = None,
    report: Callable[[str], None] = lambda _: None,
) -> dict[str, Any]:
    """Measure, write audit.json, audit.md and report.html to the folder ``output`` and give the content of audit.json.

    With ``adapter`` an attacker is tried who holds it too, the folder's privacy card is filled from this audit, and the
    page shows its training curves.
    With ``videos``, the folder that the stores' videos are in, decoders try to bring the picture back from features;
    the page then shows some frames of the videos.
    """
    before, after = FeatureStore(raw), FeatureStore(anonymized)
    plan = replace(plan or AuditPlan(), timing=before.manifest.timing)
    derivation = after.manifest.derived_from
    if adapter is not None and derivation is not None:
        require_audited_adapter(adapter, derivation.adapter_sha256)
    known = labels_for(labels, before)
    require_report_folder(Path(output))
    raw_features, safe_features = before.read(videos=known.video), after.read(videos=known.video)
    pictures: dict[str, bytes] = {}
    inversion: dict[str, Any] = {}
    if videos is not None:
        report("pictures from features")
        inversion["inversion"], pictures = invert_clips(
            raw_features,
            safe_features,
            labels=known,
            secret=visible_secret(plan.secrets or all_secrets(known)),
            videos=videos,
            clip_frames=before.manifest.encoder.clip_frames,
            seed=plan.seed,
        )
    redrawn = redraw(load_adapter(adapter), raw_features, seed=plan.seed) if adapter is not None else []
    found = audit_features(raw_features, safe_features, known, plan, redrawn=redrawn, report=report)
    result = {
        "schema": 1,
        "version": __version__,
        "encoder": before.manifest.model_dump(mode="json")["encoder"],
        "adapter": {"name": derivation.adapter, "sha256": derivation.adapter_sha256} if derivation else None,
        "data": {"videos": len(known.video), "clips": len(raw_features), "labels": Path(labels).name},
        "seed": plan.seed,
        "attacker": {"holds_adapter": adapter is not None, "redrawn_copies": len(redrawn)},
        **found,
        **inversion,
    }
    extras = Extras(
        training_log=read_training_log(adapter),
        feature_map=feature_map(
            raw_features, safe_features, known, secrets=plan.secrets or all_secrets(known)
        ),
        pictures=pictures,
    )
    write_report(Path(output), result, extras)
    if adapter is not None:
        fill_card(adapter, result)
    return result


def read_training_log(adapter: str | Path | None) -> list[dict[str, float]]:
    """The loss terms of each epoch, where the adapter was trained and its log is there."""
    if adapter is None:
        return []
    log = Path(adapter) / TRAINING_FOLDER / "log.jsonl"
    return [json.loads(line) for line in log.read_text().splitlines()] if log.is_file() else []


def feature_map(
    raw: FeatureSet, anonymized: FeatureSet, labels: Labels, *, secrets: Sequence[str]
) -> FeatureMap:
    """The two principal components of the clips before and after, coloured by person, or else by the first secret."""
    people = set() if labels.person is None else set(labels.person.tolist()) - {""}
    secret = IDENTITY if len(people) > 1 else secrets[0]
    rows = np.flatnonzero(raw.kind == TEMPORAL) if (raw.kind == TEMPORAL).any() else np.arange(len(raw))
    values = labels.lookup(secret, raw.video[rows])
    names = sorted(set(values.tolist()))[:MAP_CLASSES]
    rows, values = rows[np.isin(values, names)], values[np.isin(values, names)]
    if len(rows) > MAP_CLIPS:
        chosen = np.linspace(0, len(rows) - 1, MAP_CLIPS).astype(int)
        rows, values = rows[chosen], values[chosen]
    return FeatureMap(
        secret=secret,
        classes=[names.index(value) for value in values],
        names=names,
        before=_two_components(raw.feature[rows]),
        after=_two_components(anonymized.feature[rows]),
    )


def _two_components(features: np.ndarray) -> list[list[float]]:
    """The first two principal components (N, 2) of features (N, D)."""
    centred = features - features.mean(axis=0)
    left, strength, _ = np.linalg.svd(centred.astype(np.float64), full_matrices=False)
    return np.round(left[:, :2] * strength[:2], 4).tolist()
