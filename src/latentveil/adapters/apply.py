"""The verb `apply`: every feature anonymized; a store gives a new store, arrays give arrays."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np
import torch

from latentveil.adapters.adapter import Adapter, AdapterLike, as_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.adapters.forget import forget_key, is_forgotten, require_key
from latentveil.errors import InputError, UsageError
from latentveil.files.places import PlaceLike, as_place
from latentveil.machine.devices import require_device_name, to_device
from latentveil.machine.engines import Crew, Engine, find_crew
from latentveil.notices import notify
from latentveil.progress import OnProgress, shown
from latentveil.store import Derivation, FeatureStore, derive_store
from latentveil.store.derive import ShardTask, Spread, find_derived, transform_shard
from latentveil.store.sources import Features, FeaturesLike, open_features
from latentveil.types import FeatureSet

CLIPS_PER_BATCH = 256  # small, to save memory
IN_MEMORY = "adapter in memory"


def apply(
    adapter: AdapterLike,
    features: FeaturesLike,
    output: PlaceLike | None = None,
    *,
    seed: int | None = None,
    device: str = "cpu",
    engine: str | Engine = "local",
    address: str | None = None,
    workers: int | None = None,
    worker_gpus: float = 0.0,
    forget: bool = False,
    progress: bool | OnProgress = True,
) -> FeatureStore | FeatureSet | dict[str, np.ndarray] | np.ndarray:
    """The anonymized features: a store is written to a new store at ``output``, arrays come back in the same form.

    ``adapter`` is one in memory, a folder, or a name on the hub. ``seed`` makes its noise repeatable and must then stay
    secret; without it the noise is fresh. A run that was killed goes on, with the seed that it began with or without
    one; another is refused. Of a store a few hundred clips are in memory at a time, and a video is never cut.

    ``engine`` "ray" spreads the shards of a store over a Ray cluster at ``address`` (by default this machine), which
    must see the store; with a seed the result is the same, byte by byte.

    With ``forget``, what the adapter's folder holds of single groups of videos is destroyed once the store is complete.
    Where both were done before, the store is returned.
    """
    crew = find_crew(engine, address=address, workers=workers, gpus=worker_gpus)
    require_device_name(device)
    source = open_features(features)
    loaded = to_device(as_adapter(adapter), device)
    require_fitting(loaded, source)
    if forget:
        folder = _folder_of(adapter)
        if is_forgotten(loaded) and isinstance(source, FeatureStore):
            return _made_before(loaded, source, output)
        require_key(folder)
    _say_if_forgotten(loaded)
    if not isinstance(source, FeatureStore):
        _refuse_store_options(output, forget=forget)
        return source.in_form(anonymize(loaded, source.features, seed=seed).feature)
    if output is None:
        raise UsageError(
            "output must be a folder for the anonymized store, got none. Give one as third argument."
        )
    derivation = Derivation(
        store=str(source.path),
        adapter=IN_MEMORY if isinstance(adapter, Adapter) else as_place(adapter).name,
        adapter_sha256=loaded.sha256(),
        dim=loaded.dim,
        seeded=seed is not None,
    )
    transform = _Transform(loaded, seed)
    spread: Spread | None = None
    if crew is not None:
        spread = partial(_spread, crew, _Transform(loaded.cpu(), seed, device))
    with shown(progress) as on_progress:
        derive_store(
            source, output, derivation=derivation, transform=transform, spread=spread, on_progress=on_progress
        )
    if forget:
        forget_key(folder)
    return FeatureStore(output)


@dataclass
class _Transform:
    """Anonymizes parts of a store; it can be sent to other machines."""

    adapter: Adapter
    seed: int | None
    device: str | None = None

    def __call__(self, part: FeatureSet) -> np.ndarray:
        seed = _seed_of(part, self.seed)
        return anonymize(self.adapter, part, seed=seed, clips_per_batch=CLIPS_PER_BATCH).feature

    def of_shard(self) -> Callable[[ShardTask], list[np.ndarray]]:
        """A worker of an engine, on its own device and in one thread, as its neighbours are."""
        torch.set_num_threads(1)
        self.adapter = to_device(self.adapter, self.device or "cpu")
        return partial(transform_shard, transform=self)


def _spread(
    crew: Crew, transform: _Transform, tasks: list[ShardTask]
) -> Iterator[tuple[ShardTask, list[np.ndarray] | None]]:
    """The shards as the workers anonymize them."""
    findable = [replace(task, store=task.store.resolve()) for task in tasks]
    with closing(crew.map(transform.of_shard, findable)) as outcomes:
        for outcome in outcomes:
            if outcome.result is None:
                raise InputError(f"shard {outcome.task.name} must be anonymized, got none: {outcome.lost}.")
            yield outcome.task, outcome.result


def _refuse_store_options(output: PlaceLike | None, *, forget: bool) -> None:
    """Refuse what only makes sense for a store."""
    if forget:
        raise UsageError(
            "features must be a store to forget the key after it, got features in memory. Leave out forget, and "
            "call latentveil.adapters.forget.forget_key when all is done."
        )
    if output is not None:
        raise UsageError(
            f"output must be left out for features in memory, got {output}. They come back as they were given."
        )


def _folder_of(adapter: AdapterLike) -> Path:
    place = adapter if isinstance(adapter, Adapter) else as_place(adapter)
    if not isinstance(place, Path):
        found = "one in memory" if isinstance(place, Adapter) else str(place)
        raise UsageError(f"adapter must be given by its folder to forget its key, got {found}.")
    return place


def _made_before(adapter: Adapter, source: FeatureStore, output: PlaceLike | None) -> FeatureStore:
    """The store that the adapter made of ``source`` before its key was destroyed; refused where it is not there."""
    with_key = adapter.config["forgotten_from"]
    found = None if output is None else find_derived(source, output, adapter_sha256=with_key)
    if found is None:
        raise InputError(
            f"{output or 'output'} must be what this adapter made of {source.path} before its key was destroyed, got "
            "another store or none. Fit another adapter to release more."
        )
    return found


def _say_if_forgotten(adapter: Adapter) -> None:
    if is_forgotten(adapter):
        notify(
            "This adapter has forgotten its groups: every video is treated by itself, which hides less. Fit another "
            "one for videos that are to be released together."
        )


def _seed_of(features: FeatureSet, seed: int | None) -> int | None:
    """The seed of some videos' noise, so that no two parts of a store share theirs: it would cancel out."""
    if seed is None:
        return None
    digest = hashlib.sha256(f"{seed} {features.videos[0]}".encode()).digest()
    return int.from_bytes(digest[:7], "big")


def require_fitting(adapter: Adapter, features: Features) -> None:
    """Refuse features of another encoder, or behind other adapters, than the adapter was fitted for."""
    known, found = adapter.config["encoder"], features.encoder
    if known is None or found is None:
        return
    passed = [] if features.derived_from is None else features.derived_from.passed
    if [one.adapter_sha256 for one in passed] != adapter.config["behind"]:
        got = f"ones that {passed[-1].adapter!r} made" if passed else "raw ones"
        if adapter.config["behind"]:
            wanted = f"features of the adapter that this one goes behind (sha256 {adapter.config['behind'][-1][:12]}…)"
            raise InputError(
                f"{features.name} must hold {wanted}, got {got}. Apply it to the store it was fitted on."
            )
        raise InputError(
            f"{features.name} must hold raw features, got {got}. Apply the adapter to the store they came from."
        )
    for name in ("name", "weights_sha256", "dim"):
        if known.get(name) != getattr(found, name):
            raise InputError(
                f"{features.name} must be of the adapter's encoder ({name} {known.get(name)!r}), "
                f"got {getattr(found, name)!r}. Fit an adapter on features of this encoder."
            )
