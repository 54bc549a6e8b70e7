"""A store made from another one, a part of a shard at a time: what `veil apply` writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

import numpy as np
import pyarrow as pa

from latentveil.errors import InputError
from latentveil.places import PlaceLike
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store.manifest import Derivation, Manifest
from latentveil.store.read import FeatureStore
from latentveil.store.shard_file import OpenShard
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
    on_progress: OnProgress = silent,
) -> Manifest:
    """Write ``transform`` of every clip of ``source`` to a new store at ``path``, with a part of a shard in memory.

    Shapes: ``transform`` is given some whole videos with ``.feature`` (N, D) and returns (N, D'), D' =
    ``derivation.dim``. Each new shard remembers the one it came from: a second run skips those that are up to date,
    and replaces those whose source has changed since. Videos that ``source`` does not have are never removed: such a
    store is refused. So is another seed where ``derivation`` says that there is one. ``on_progress`` is told of
    the clips of each shard when it is done (or was already).
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
        rows = 0
        for name, entry in source.manifest.shards.items():
            if name not in done:
                _derive_shard(writer, source, name=name, transform=transform)
            rows += entry.rows
            on_progress(Progress("anonymizing clips", rows, len(source)))
        return writer.finish()


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
    writer: StoreWriter, source: FeatureStore, *, name: str, transform: Callable[[FeatureSet], np.ndarray]
) -> None:
    with OpenShard(source.path / name, memory_map=False) as shard:
        rows = shard.read_rows(dtype=writer.manifest.dtype, dim=writer.manifest.dim)
        features = _transformed(shard, rows.groups, dim=source.dim, transform=transform)
        written = writer.write_rows(rows, features, source_sha256=source.manifest.shards[name].sha256)
    assert written == name, "a derived shard holds the videos of its source"


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
        OpenShard(source.path / name, memory_map=False) as raw,
        OpenShard(writer.path / name, memory_map=False) as made,
    ):
        groups = raw.read_rows(dtype=dtype, dim=dim).groups
        again = next(_transformed(raw, groups, dim=source.dim, transform=transform))
        stored = made.read(groups[0], dim=dim).feature
    if not np.allclose(again.astype(dtype), stored, rtol=SAME_NOISE, atol=SAME_NOISE * np.abs(stored).mean()):
        raise InputError(
            f"seed must be the one that {writer.path} was made with, got another. Use that seed or another folder."
        )
