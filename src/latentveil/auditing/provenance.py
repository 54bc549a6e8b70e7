"""Where audited features come from: which stores they are, and whether one was made from the other."""

from __future__ import annotations

import numpy as np

from latentveil.errors import InputError
from latentveil.files.places import as_place
from latentveil.notices import notify
from latentveil.report.headline import UNCHANGED
from latentveil.results.audit import Flag
from latentveil.store import Derivation, FeatureStore
from latentveil.store.manifest import MANIFEST_NAME
from latentveil.store.shard_file import read_footer
from latentveil.store.sources import Features
from latentveil.types import FeatureSet


def flag_unchanged(raw: FeatureSet, anonymized: FeatureSet) -> list[Flag]:
    """A flag where the audited features are the raw ones, number by number: an audit to compare with, or a mistake."""
    if not np.array_equal(raw.feature, anonymized.feature):
        return []
    why = (
        "The audited features are the raw ones, unchanged: nothing was removed, and this report is not one of "
        "anonymized features."
    )
    return [Flag(UNCHANGED, why)]


def require_derived(raw: Features, anonymized: Features) -> None:
    """Refuse stores that were swapped, or of which the second is known to be made from another than the first.

    A store without a derivation says nothing of its source; it must be of the same encoder at least. Nothing is known
    of features in memory.
    """
    if not isinstance(raw, FeatureStore) or not isinstance(anonymized, FeatureStore):
        return
    made_of, derivation = raw.manifest.derived_from, anonymized.manifest.derived_from
    if made_of is not None and (derivation is None or derivation.parent != made_of):
        raise InputError(
            f"raw store {raw.path} must hold the features before anonymization, got ones that the adapter "
            f"{made_of.adapter!r} made. Give the raw store first and the anonymized one second."
        )
    if anonymized.manifest.encoder != raw.manifest.encoder:
        raise InputError(
            f"anonymized store {anonymized.path} must be of the encoder {raw.manifest.encoder.name!r} of {raw.path}, "
            f"got {anonymized.manifest.encoder.name!r} or other settings of it. Audit a store against its source."
        )
    if derivation is not None:
        _require_made_from(raw, anonymized, derivation)


def _require_made_from(raw: FeatureStore, anonymized: FeatureStore, derivation: Derivation) -> None:
    """Follow the shards to ``raw``, through the stores in between where several adapters came one after the other."""
    sources = {read_footer(anonymized.path / name).source_sha256 for name in anonymized.manifest.shards} - {
        None
    }
    if not sources:  # a renamed store: by a checksum of its source, somebody could try out names
        notify(
            f"{anonymized.path} keeps no checksum of the store it was made from, as renamed stores do not: whether it "
            f"comes from {raw.path} cannot be told."
        )
    if sources <= _shards(raw):
        return
    is_behind = derivation.parent is not None and derivation.parent != raw.manifest.derived_from
    place = as_place(derivation.store)
    if is_behind and not (place / MANIFEST_NAME).is_file():
        notify(
            f"{derivation.store}, which {anonymized.path} was made from, is not there any more: whether it comes from "
            f"{raw.path} cannot be told."
        )
        return
    between = FeatureStore(place) if is_behind else None
    if between is None or between.manifest.derived_from is None or not sources <= _shards(between):
        raise InputError(
            f"anonymized store {anonymized.path} must be made from {raw.path}, got one made from other features "
            f"({derivation.store}). Audit it against that store, or apply the adapter again."
        )
    _require_made_from(raw, between, between.manifest.derived_from)


def _shards(store: FeatureStore) -> set[str]:
    """The checksums of the shards that a store holds."""
    return {entry.sha256 for entry in store.manifest.shards.values()}
