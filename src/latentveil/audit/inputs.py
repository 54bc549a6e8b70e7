"""What an audit is made of, read once: features before and after, labels, the adapter, and where they come from."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.audit.files import require_audited_adapter
from latentveil.audit.omissions import blank_unknown
from latentveil.audit.provenance import manifest_sha256, require_derived
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.results import AuditedAdapter, AuditedData
from latentveil.store import FeatureStore
from latentveil.store.labelled import labels_of_store
from latentveil.types import ClipTiming, EncoderInfo, FeatureSet


@dataclass(frozen=True, eq=False)
class AuditInputs:
    """The labelled videos of two feature sets. ``made_by`` is on record; ``adapter`` is what an attacker holds."""

    raw: FeatureSet
    anonymized: FeatureSet
    labels: Labels
    data: AuditedData
    encoder: EncoderInfo | None = None
    timing: ClipTiming | None = None
    made_by: AuditedAdapter | None = None
    adapter: Adapter | None = None


def read_stores(
    raw: str | Path, anonymized: str | Path, *, labels: str | Path, adapter: str | Path | None = None
) -> AuditInputs:
    """Open everything, refuse what does not belong together, and read the features of the labelled videos."""
    before, after = FeatureStore(raw), FeatureStore(anonymized)
    require_derived(before, after)
    derivation = after.manifest.derived_from
    loaded = None if adapter is None else load_adapter(adapter)
    if adapter is not None and loaded is not None and derivation is not None:
        require_audited_adapter(adapter, loaded, sha256=derivation.adapter_sha256)
    named = Labels.read(labels)
    known = labels_of_store(named, before, name=labels)
    features = before.read(videos=known.video)
    counted, _ = blank_unknown(known)
    return AuditInputs(
        raw=features,
        anonymized=after.read(videos=known.video),
        labels=known,
        data=AuditedData(
            videos=len(known.video),
            clips=len(features),
            labels=Path(labels).name,
            people=_count(counted, "person"),
            recordings=_count(counted, "recording"),
            unlabelled_videos=before.manifest.counts.videos - len(known.video),
            labels_of_no_video=len(named.video) - len(known.video),
            date=datetime.now(UTC).date().isoformat(),
            raw_sha256=manifest_sha256(before),
            anonymized_sha256=manifest_sha256(after),
        ),
        encoder=before.manifest.encoder,
        timing=before.manifest.timing,
        made_by=AuditedAdapter(derivation.adapter, derivation.adapter_sha256) if derivation else None,
        adapter=loaded,
    )


def _count(labels: Labels, column: str) -> int | None:
    """How many values a column has, blank ones aside; None where the labels lack it."""
    try:
        values = labels.column(column)
    except InputError:
        return None
    return len(np.unique(values[values != ""]))
