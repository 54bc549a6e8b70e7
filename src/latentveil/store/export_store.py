"""A store handed on as a store under other names; the order of rows and the cut into shards follow the new names."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from latentveil.errors import InputError
from latentveil.files.places import Place, PlaceLike
from latentveil.notices import notify
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store.manifest import Manifest
from latentveil.store.read import FeatureStore
from latentveil.store.renaming import NewNames
from latentveil.store.shard import Checksum, shard_name, to_rows
from latentveil.store.write import StoreWriter
from latentveil.types import FeatureSet

# Large, for the clips of one new shard come from all over the store: each shard takes a pass over it.
SHARD_BYTES = 256 << 20


def export_store(
    store: FeatureStore, folder: PlaceLike, *, names: NewNames, on_progress: OnProgress = silent
) -> Place:
    """Write the clips of ``store`` to a new one in ``folder``, each video under its name in ``names``.

    Rows are sorted, and shards filled, by the new names. Nothing of the old store is recorded but what made its
    features: no checksum either, by which somebody could try out names. So a run that goes on compares the shards that
    are there with what it would write; other ones are refused. One new shard is in memory at a time.
    """
    with StoreWriter(folder, _like(store)) as writer:
        there = {name: footer.sha256 for name, footer in writer.footers()}
        shards = {shard_name(names[video] for video in videos): videos for videos in _cut(store, names)}
        if not there.keys() <= shards.keys():
            raise _got_another(writer)
        done = 0
        for name, videos in shards.items():
            features = _renamed(store.read(videos=videos), names)
            if name not in there:
                writer.write_shard(features)
            elif there[name] != _checksum(features, writer.manifest):
                raise _got_another(writer)
            done += len(features)
            on_progress(Progress("renaming clips", done, len(store)))
        if writer.manifest.complete and there.keys() == shards.keys():
            notify(f"{writer.path} holds this very export already: nothing is written again.")
        else:
            writer.finish()
        return writer.path


def _like(store: FeatureStore) -> Manifest:
    """What a store of the same features begins with."""
    known = store.manifest
    return Manifest(
        encoder=known.encoder,
        sampling=known.sampling,
        dtype=known.dtype,
        backend=known.backend,
        derived_from=known.derived_from,
        requested_fps=known.requested_fps,
    )


def _cut(store: FeatureStore, names: NewNames) -> Iterator[list[str]]:
    """The videos of each new shard, in the order of their new names."""
    most_clips = max(1, SHARD_BYTES // (4 * store.dim))
    videos: list[str] = []
    clips = 0
    for video in sorted(store.videos, key=lambda video: names[video]):
        videos.append(video)
        clips += store.num_clips(video)
        if clips >= most_clips:
            yield videos
            videos, clips = [], 0
    if videos:
        yield videos


def _renamed(features: FeatureSet, names: NewNames) -> FeatureSet:
    """The same rows under the new names of their videos."""
    return replace(features, video=np.array([names[video] for video in features.video.tolist()]))


def _checksum(features: FeatureSet, manifest: Manifest) -> str:
    """That of a shard which holds just these clips."""
    rows, order = to_rows(features, dtype=manifest.dtype, dim=manifest.dim)
    checksum = Checksum(rows)
    for group in rows.groups:
        checksum.add_features(rows.table(group, features.feature[order[group.start : group.stop]]))
    return checksum.hexdigest()


def _got_another(writer: StoreWriter) -> InputError:
    return InputError(
        f"{writer.path} must be a new or an empty folder, or hold this very export, got something else. "
        "Choose another place, or delete it."
    )
