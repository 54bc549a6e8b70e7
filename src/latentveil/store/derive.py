"""A store made from another one, shard by shard: what `veil apply` writes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

from latentveil.store.manifest import Derivation, Manifest
from latentveil.store.read import FeatureStore
from latentveil.store.write import StoreWriter
from latentveil.types import FeatureSet


def derive_store(
    source: FeatureStore,
    path: str | Path,
    *,
    derivation: Derivation,
    transform: Callable[[FeatureSet], np.ndarray],
    on_shard: Callable[[int], None] | None = None,
) -> Manifest:
    """Write ``transform`` of every shard of ``source`` to a new store at ``path``, with one shard in memory.

    Shapes: ``transform`` is given a shard with ``.feature`` (N, D) and returns (N, D'), D' = ``derivation.dim``. Each
    new shard remembers the one it came from: a second run skips those that are up to date, and replaces those whose
    source has changed since. ``on_shard`` is told the rows of each shard when it is done (or was already).
    """
    manifest = Manifest(
        encoder=source.manifest.encoder,
        sampling=source.manifest.sampling,
        dtype=source.manifest.dtype,
        backend=source.manifest.backend,
        derived_from=derivation.model_copy(update={"parent": source.manifest.derived_from}),
    )
    with StoreWriter(path, manifest) as writer:
        done = _discard_outdated(writer, source)
        for name, entry in source.manifest.shards.items():
            if name not in done:
                _derive_shard(writer, source, name=name, transform=transform)
            if on_shard is not None:
                on_shard(entry.rows)
        return writer.finish()


def _derive_shard(
    writer: StoreWriter, source: FeatureStore, *, name: str, transform: Callable[[FeatureSet], np.ndarray]
) -> None:
    features = source.read_shard(name)
    written = writer.write_shard(
        features.with_feature(transform(features)), source_sha256=source.manifest.shards[name].sha256
    )
    assert written == name, "a derived shard holds the videos of its source"


def _discard_outdated(writer: StoreWriter, source: FeatureStore) -> set[str]:
    """Remove shards whose source changed or is gone; the names of the others."""
    current = {name: entry.sha256 for name, entry in source.manifest.shards.items()}
    kept = set()
    for name, footer in list(writer.footers()):
        if footer.source_sha256 == current.get(name):
            kept.add(name)
        else:
            writer.discard_shard(name)
    return kept
