"""What an audit is made of, read once: features before and after, labels, the adapter, and where they come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np

from latentveil.adapters.adapter import Adapter, AdapterLike, as_adapter
from latentveil.arguments import argument
from latentveil.auditing.files import require_audited_adapter
from latentveil.auditing.flags import forgotten_key
from latentveil.auditing.omissions import blank_unknown
from latentveil.auditing.provenance import flag_unchanged, require_derived
from latentveil.auditing.sampling import sample_videos
from latentveil.errors import InputError
from latentveil.labels import Labels, LabelsLike, as_labels
from latentveil.results.audit import AuditedAdapter, AuditedData, Flag
from latentveil.store import Derivation
from latentveil.store.labelled import labels_for
from latentveil.store.renaming import NewNames, read_names
from latentveil.store.sources import (
    Features,
    FeaturesLike,
    MemoryFeatures,
    content_sha256,
    open_features,
)
from latentveil.types import ClipTiming, EncoderInfo, FeatureSet

IN_MEMORY = "in memory"


@dataclass(frozen=True, eq=False)
class AuditInputs:
    """The labelled videos of two feature sets. ``made_by`` is on record; ``adapter`` is what an attacker holds.

    ``flags`` say where the two are the same, and where these are not all labelled videos. ``names`` are those that the
    anonymized videos go by where they are others.
    """

    raw: FeatureSet
    anonymized: FeatureSet
    labels: Labels
    data: AuditedData
    encoder: EncoderInfo | None = None
    timing: ClipTiming | None = None
    made_by: AuditedAdapter | None = None
    adapter: Adapter | None = None
    flags: list[Flag] = field(default_factory=list)
    names: NewNames | None = None


def read_inputs(
    raw: FeaturesLike,
    anonymized: FeaturesLike,
    *,
    labels: LabelsLike,
    adapter: AdapterLike | None = None,
    rename: str | Path | None = None,
    seed: int = 0,
) -> AuditInputs:
    """Open everything, refuse what does not belong together, and read the features of the labelled videos.

    Of a store that memory should not hold, a sample of them is read, drawn from ``seed``. ``rename`` is the file by
    which ``anonymized`` got other names; its features come back under those of ``raw``.
    """
    before, after = open_features(raw), open_features(anonymized)
    require_derived(before, after)
    derivation = after.derived_from
    loaded = None if adapter is None else as_adapter(adapter)
    if loaded is not None and derivation is not None:
        _require_one_adapter(before, derivation)
        require_audited_adapter(loaded, sha256=derivation.adapter_sha256)
    named = as_labels(labels)
    labelled = labels_for(named, before)
    redrawn = loaded is not None and loaded.draws_noise
    known, flags = sample_videos(labelled, before, redrawn=redrawn, seed=seed)
    flags += _flag_rest(loaded, derivation)
    videos = known.video.tolist()
    names = None if rename is None else read_names(rename, videos)
    _require_videos(after, videos if names is None else list(names.values()), rename=rename)
    features = before.read(videos=videos)
    shown = after.read(videos=videos) if names is None else _read_renamed(after, names)
    counted, _ = blank_unknown(known)
    return AuditInputs(
        raw=features,
        anonymized=shown,
        labels=known,
        data=AuditedData(
            videos=len(videos),
            clips=len(features),
            labels=Path(labels).name if isinstance(labels, str | Path) else IN_MEMORY,
            people=_count(counted, "person"),
            recordings=_count(counted, "recording"),
            unlabelled_videos=len(before.videos) - len(labelled.video),
            labels_of_no_video=len(named.video) - len(labelled.video),
            date=datetime.now(UTC).date().isoformat(),
            raw_sha256=content_sha256(before),
            anonymized_sha256=content_sha256(after),
        ),
        encoder=before.encoder,
        timing=before.timing,
        made_by=_made_by(before, derivation) if derivation else None,
        adapter=loaded,
        flags=flag_unchanged(features, shown) + flags,
        names=names,
    )


def _require_videos(after: Features, wanted: Sequence[str], *, rename: str | Path | None) -> None:
    """Refuse anonymized features that lack a video, with a word on names where these are the likely reason."""
    missing = sorted(set(wanted).difference(after.videos))
    if not missing:
        return
    found = f"got none of {missing[0]!r} ({len(missing)} of {len(wanted)} are missing)"
    if rename is not None:
        raise InputError(
            f"anonymized features must hold every video by its name in {rename}, {found}. Give the file that they were "
            "renamed with."
        )
    raise InputError(
        f"anonymized features must hold every labelled video of the raw ones, {found}. If videos go by other names "
        f"there, give the file of names: {argument('rename', 'names.csv')}."
    )


def _read_renamed(features: Features, names: NewNames) -> FeatureSet:
    """The clips of renamed videos under their old names, in the order that these give."""
    found = features.read(videos=list(names.values()))
    old = {name: video for video, name in names.items()}
    back = replace(found, video=np.array([old[name] for name in found.video.tolist()]))
    return MemoryFeatures(back).read()


def _adapters_between(raw: Features, derivation: Derivation) -> list[Derivation]:
    """What the audited features have passed and the raw ones have not."""
    return derivation.passed[len(raw.derived_from.passed) if raw.derived_from else 0 :]


def _require_one_adapter(raw: Features, derivation: Derivation) -> None:
    """Refuse an adapter behind another one: whoever holds it cannot make safe features of raw ones with it."""
    names = [one.adapter for one in _adapters_between(raw, derivation)]
    if len(names) > 1:
        raise InputError(
            f"adapter must be left out where several made the features one after the other, got {', '.join(names)}. "
            "An attacker who holds them all is not tried."
        )


def _made_by(raw: Features, derivation: Derivation) -> AuditedAdapter:
    """The last adapter, named with those before it."""
    names = [one.adapter for one in _adapters_between(raw, derivation)]
    return AuditedAdapter(", then ".join(names) or derivation.adapter, derivation.adapter_sha256)


def _flag_rest(adapter: Adapter | None, derivation: Derivation | None) -> list[Flag]:
    """A flag where the adapter is what is left of the one that made the features."""
    if adapter is None or derivation is None:
        return []
    gone = forgotten_key(adapter.sha256() != derivation.adapter_sha256)
    return [] if gone is None else [gone]


def _count(labels: Labels, column: str) -> int | None:
    """How many values a column has, blank ones aside; None where the labels lack it."""
    try:
        values = labels.column(column)
    except InputError:
        return None
    return len(np.unique(values[values != ""]))
