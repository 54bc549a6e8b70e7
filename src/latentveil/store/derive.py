"""A store made from another one, a part of a shard at a time: what `veil apply` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import pyarrow as pa

from latentveil.errors import InputError
from latentveil.files.places import Place, PlaceLike, as_place
from latentveil.notices import notify
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store.manifest import MANIFEST_NAME, Derivation, Manifest, read_manifest
from latentveil.store.read import FeatureStore
from latentveil.store.shard_file import OpenShard, read_footer
from latentveil.store.write import StoreWriter
from latentveil.types import FeatureSet

# Clips in memory at a time, unless a single video or row group has more.
PART_CLIPS = 1024
# How far features may be from those of another run with the same noise: rounding to float16 takes this much.
SAME_NOISE = 1e-3


def derive_store(
    source: FeatureStore,
    path: PlaceLike,
    *,
    derivation: Derivation,
    transform: Callable[[FeatureSet], np.ndarray],
    spread: Spread | None = None,
    on_progress: OnProgress = silent,
) -> Manifest:
    """Write ``transform`` of every clip of ``source`` to a new store at ``path``, with a part of a shard in memory.

    Shapes: ``transform`` is given some whole videos with ``.feature`` (N, D) and returns (N, D'), D' =
    ``derivation.dim``. Each new shard remembers the one it came from: a second run skips those that are up to date,
    and replaces those whose source has changed since. Videos that ``source`` does not have are never removed: such a
    store is refused. So is another seed where ``derivation`` says that there is one. ``spread`` is how shards are
    transformed elsewhere. ``on_progress`` is told of the clips of each shard when it is done (or was already).
    """
    manifest = Manifest(
        encoder=source.manifest.encoder,
        sampling=source.manifest.sampling,
        dtype=source.manifest.dtype,
        backend=source.manifest.backend,
        derived_from=derivation.model_copy(update={"parent": source.manifest.derived_from}),
    )
    with StoreWriter(path, manifest) as writer, _plain_allocator():
        done, outdated = _compare_shards(writer, source)
        if derivation.seeded and done:
            _require_same_noise(writer, source, name=min(done), transform=transform)
        for name in outdated:
            writer.discard_shard(name)
        entries = source.manifest.shards
        rows = sum(entries[name].rows for name in done)
        todo = [
            ShardTask(source.path, name, manifest.dtype, manifest.dim) for name in entries if name not in done
        ]
        if writer.manifest.complete and not todo:
            notify(f"{writer.path} holds these features already: nothing is anonymized again.")
        made = ((task, None) for task in todo) if spread is None else spread(todo)
        for task, features in made:
            _derive_shard(writer, source, task=task, transform=transform, features=features)
            rows += entries[task.name].rows
            on_progress(Progress("anonymizing clips", rows, len(source)))
        return writer.finish()


def find_derived(source: FeatureStore, path: PlaceLike, *, adapter_sha256: str | None) -> FeatureStore | None:
    """The finished store at ``path``, if this adapter made it of all that ``source`` holds now; else None."""
    place = as_place(path)
    if not (place / MANIFEST_NAME).is_file():
        return None
    manifest = read_manifest(place)
    made_by = None if manifest.derived_from is None else manifest.derived_from.adapter_sha256
    if not manifest.complete or made_by is None or made_by != adapter_sha256:
        return None
    made_of = {name: read_footer(place / name).source_sha256 for name in manifest.shards}
    current = {name: entry.sha256 for name, entry in source.manifest.shards.items()}
    return FeatureStore(place) if made_of == current else None


@dataclass(frozen=True)
class ShardTask:
    """A shard of a store to transform, and what the new features are: their ``dtype`` and dimension ``dim``."""

    store: Place
    name: str
    dtype: str
    dim: int


Spread = Callable[[list[ShardTask]], Iterator[tuple[ShardTask, list[np.ndarray] | None]]]


def transform_shard(task: ShardTask, transform: Callable[[FeatureSet], np.ndarray]) -> list[np.ndarray]:
    """The transform of a whole shard, checked as it is read: an array (n, D') per row group of the new one."""
    store = _opened(task.store)
    with store.open_shard(task.name, memory_map=False) as shard:
        groups = shard.read_rows(dtype=task.dtype, dim=task.dim).groups
        return list(_transformed(shard, groups, dim=store.dim, transform=transform))


@lru_cache(maxsize=1)
def _opened(store: Place) -> FeatureStore:
    """A worker's store, whose manifest is read once."""
    return FeatureStore(store)


@contextmanager
def _plain_allocator() -> Iterator[None]:
    """Arrow without its own allocator, which keeps freed memory for later: more than a part of a shard takes."""
    usual = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    try:
        yield
    finally:
        pa.set_memory_pool(usual)


def _derive_shard(
    writer: StoreWriter,
    source: FeatureStore,
    *,
    task: ShardTask,
    transform: Callable[[FeatureSet], np.ndarray],
    features: Iterable[np.ndarray] | None,
) -> None:
    """Write the transform of a shard, or the ``features`` that were made elsewhere."""
    with source.open_shard(task.name, memory_map=False) as shard:
        rows = shard.read_rows(dtype=task.dtype, dim=task.dim)
        if features is None:
            features = _transformed(shard, rows.groups, dim=source.dim, transform=transform)
        written = writer.write_rows(rows, features, source_sha256=source.manifest.shards[task.name].sha256)
    assert written == task.name, "a derived shard holds the videos of its source"


def _transformed(
    shard: OpenShard, groups: list[range], *, dim: int, transform: Callable[[FeatureSet], np.ndarray]
) -> Iterator[np.ndarray]:
    """The transform of a shard as an array (n, D') per row group; nothing is kept once it has been handed on."""
    for part in _parts(groups):
        rows = range(part[0].start, part[-1].stop)
        yield from _cut(transform(shard.read(rows, dim=dim)), part)


def _parts(groups: list[range]) -> Iterator[list[range]]:
    """Row groups to transform together: as many as PART_CLIPS allows, and at least one."""
    part: list[range] = []
    for group in groups:
        if part and group.stop - part[0].start > PART_CLIPS:
            yield part
            part = []
        part.append(group)
    yield part


def _cut(feature: np.ndarray, groups: list[range]) -> Iterator[np.ndarray]:
    """The rows of each row group of a part whose transform is ``feature`` (n, D')."""
    first = groups[0].start
    for group in groups:
        yield feature[group.start - first : group.stop - first]


def _compare_shards(writer: StoreWriter, source: FeatureStore) -> tuple[set[str], set[str]]:
    """The shards that are up to date, and those whose source changed; refuses to lose a video that the source lacks."""
    current = {name: entry.sha256 for name, entry in source.manifest.shards.items()}
    footers = dict(writer.footers())
    outdated = {name for name, footer in footers.items() if footer.source_sha256 != current.get(name)}
    lost = {video.video for name in outdated for video in footers[name].videos}.difference(source.videos)
    if lost:
        raise InputError(
            f"{writer.path} must hold videos of {source.path} only, got {len(lost)} that are not there, such as "
            f"{min(lost)!r}. Use another folder: their noise could not be drawn again."
        )
    return footers.keys() - outdated, outdated


def _require_same_noise(
    writer: StoreWriter, source: FeatureStore, *, name: str, transform: Callable[[FeatureSet], np.ndarray]
) -> None:
    """Refuse a seed that does not give a finished shard again; its first part is made anew to tell."""
    dtype, dim = writer.manifest.dtype, writer.manifest.dim
    with (
        source.open_shard(name, memory_map=False) as raw,
        OpenShard(writer.path / name, memory_map=False) as made,
    ):
        groups = raw.read_rows(dtype=dtype, dim=dim).groups
        again = next(_transformed(raw, groups, dim=source.dim, transform=transform))
        stored = made.read(groups[0], dim=dim).feature
    if not np.allclose(again.astype(dtype), stored, rtol=SAME_NOISE, atol=SAME_NOISE * np.abs(stored).mean()):
        raise InputError(
            f"seed must be the one that {writer.path} was made with, got another. Use that seed or another folder."
        )
