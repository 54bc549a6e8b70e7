"""The verb `apply`: every feature anonymized; a store gives a new store, arrays give arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any, overload

import numpy as np

from latentveil.adapters.adapter import Adapter, AdapterLike, as_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.devices import to_device
from latentveil.errors import InputError
from latentveil.places import PlaceLike, as_place
from latentveil.progress import OnProgress, shown
from latentveil.store import Derivation, FeatureStore, derive_store
from latentveil.store.sources import Features, FeaturesLike, open_features
from latentveil.types import FeatureSet

CLIPS_PER_BATCH = 256  # small, to save memory
IN_MEMORY = "adapter in memory"


@overload
def apply(
    adapter: AdapterLike,
    features: PlaceLike | FeatureStore,
    output: PlaceLike | None = ...,
    *,
    seed: int | None = ...,
    device: str = ...,
    progress: bool | OnProgress = ...,
) -> FeatureStore: ...
@overload
def apply(
    adapter: AdapterLike, features: FeatureSet, *, seed: int | None = ..., device: str = ...
) -> FeatureSet: ...
@overload
def apply(
    adapter: AdapterLike, features: Mapping[str, Any], *, seed: int | None = ..., device: str = ...
) -> dict[str, np.ndarray]: ...
@overload
def apply(
    adapter: AdapterLike, features: Any, *, seed: int | None = ..., device: str = ...
) -> np.ndarray: ...
def apply(
    adapter: AdapterLike,
    features: FeaturesLike,
    output: PlaceLike | None = None,
    *,
    seed: int | None = None,
    device: str = "cpu",
    progress: bool | OnProgress = True,
) -> FeatureStore | FeatureSet | dict[str, np.ndarray] | np.ndarray:
    """The anonymized features: a store is written to a new store at ``output``, arrays come back in the same form.

    ``adapter`` is one in memory, a folder, or a name on the hub. ``seed`` makes its noise repeatable and must then stay
    secret; without it the noise is fresh. A run that was killed goes on, with the seed that it began with or without
    one; another is refused. Of a store a few hundred clips are in memory at a time, and a video is never cut.
    """
    source = open_features(features)
    loaded = to_device(as_adapter(adapter), device)
    require_fitting(loaded, source)
    if not isinstance(source, FeatureStore):
        if output is not None:
            raise InputError(
                f"output must be left out for features in memory, got {output}. They come back as they were given."
            )
        return source.in_form(anonymize(loaded, source.features, seed=seed).feature)
    if output is None:
        raise InputError(
            "output must be a folder for the anonymized store, got none. Give one as third argument."
        )
    derivation = Derivation(
        store=str(source.path),
        adapter=IN_MEMORY if isinstance(adapter, Adapter) else as_place(adapter).name,
        adapter_sha256=loaded.sha256(),
        dim=loaded.dim,
        seeded=seed is not None,
    )

    def transform(part: FeatureSet) -> np.ndarray:
        return anonymize(loaded, part, seed=_seed_of(part, seed), clips_per_batch=CLIPS_PER_BATCH).feature

    with shown(progress) as on_progress:
        derive_store(source, output, derivation=derivation, transform=transform, on_progress=on_progress)
    return FeatureStore(output)


def _seed_of(features: FeatureSet, seed: int | None) -> int | None:
    """The seed of some videos' noise, so that no two parts of a store share theirs: it would cancel out."""
    if seed is None:
        return None
    digest = hashlib.sha256(f"{seed} {features.videos[0]}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


def require_fitting(adapter: Adapter, features: Features) -> None:
    """Refuse features of another encoder than the adapter was fitted for: they mean something else."""
    known, found = adapter.config["encoder"], features.encoder
    if known is None or found is None:
        return
    if features.derived_from is not None:
        raise InputError(
            f"{features.name} must hold raw features, got ones that {features.derived_from.adapter!r} made. "
            "Apply the adapter to the store they came from."
        )
    for name in ("name", "weights_sha256", "dim"):
        if known.get(name) != getattr(found, name):
            raise InputError(
                f"{features.name} must be of the adapter's encoder ({name} {known.get(name)!r}), "
                f"got {getattr(found, name)!r}. Fit an adapter on features of this encoder."
            )
