"""Apply an adapter to a store: every feature anonymized, some videos at a time, into a new store."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from latentveil.adapters.adapter import WEIGHTS_FILE, Adapter, load_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.devices import to_device
from latentveil.errors import InputError
from latentveil.store import Derivation, FeatureStore, Manifest, derive_store
from latentveil.types import FeatureSet

CLIPS_PER_BATCH = 256  # small, to save memory


def apply(
    adapter: str | Path,
    store: str | Path,
    output: str | Path,
    *,
    seed: int | None = None,
    device: str = "cpu",
    on_shard: Callable[[int], None] | None = None,
) -> Manifest:
    """Write the anonymized features of ``store`` to a new store at ``output``; a run that was killed goes on.

    ``seed`` makes the adapter's noise repeatable and must then stay secret; without it the noise is fresh. A run goes
    on with the seed that it began with, or without one; another is refused. A few
    hundred clips are in memory at a time, and a video is never cut. ``on_shard`` is told the clips of each shard when
    it is done.
    """
    source = FeatureStore(store)
    loaded = to_device(load_adapter(adapter), device)
    check_fits(loaded, source)
    derivation = Derivation(
        store=str(store),
        adapter=Path(adapter).name,
        adapter_sha256=adapter_sha256(adapter, loaded),
        dim=loaded.dim,
        seeded=seed is not None,
    )
    return derive_store(
        source,
        output,
        derivation=derivation,
        transform=lambda features: (
            anonymize(
                loaded, features, seed=_seed_of(features, seed), clips_per_batch=CLIPS_PER_BATCH
            ).feature
        ),
        on_shard=on_shard,
    )


def _seed_of(features: FeatureSet, seed: int | None) -> int | None:
    """The seed of some videos' noise, so that no two parts of a store share theirs: it would cancel out."""
    if seed is None:
        return None
    digest = hashlib.sha256(f"{seed} {features.videos[0]}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


def check_fits(adapter: Adapter, store: FeatureStore) -> None:
    """Refuse features of another encoder than the adapter was fitted for: they mean something else."""
    known = adapter.config["encoder"]
    if known is None:
        return
    found = store.manifest.encoder
    for name in ("name", "weights_sha256", "dim"):
        if known.get(name) != getattr(found, name):
            raise InputError(
                f"store {store.path} must be of the adapter's encoder ({name} {known.get(name)!r}), "
                f"got {getattr(found, name)!r}. Fit an adapter on features of this encoder."
            )
    if store.manifest.derived_from is not None:
        raise InputError(
            f"store {store.path} must hold raw features, got ones that {store.manifest.derived_from.adapter!r} "
            "made. Apply the adapter to the store they came from."
        )


def adapter_sha256(path: str | Path, adapter: Adapter) -> str:
    """The checksum of an adapter's weights: of the file in its folder, or of the tensors when it came from the hub."""
    weights = Path(path) / WEIGHTS_FILE
    if weights.is_file():
        with open(weights, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    digest = hashlib.sha256()
    for name, value in sorted(adapter.state_dict().items()):
        digest.update(name.encode() + value.cpu().numpy().tobytes())
    return digest.hexdigest()
