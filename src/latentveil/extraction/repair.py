"""Mending a store: shards that are damaged or lost are made again from the videos, and nothing else is touched."""

from __future__ import annotations

import os
from collections.abc import Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

import torch

from latentveil.encoders import Encoder
from latentveil.errors import InputError
from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.extraction.live_features import load_as_stored
from latentveil.extraction.worker import Failed, Finished, Work, encode_videos
from latentveil.files.places import local_path
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store import Manifest, StoreWriter
from latentveil.store.manifest import read_manifest
from latentveil.store.shard import shard_name
from latentveil.store.shard_file import read_footer
from latentveil.store.verify import find_damaged
from latentveil.types import FeatureSet, concatenate
from latentveil.video.reading import ClipFormat

# A damaged shard is kept under this ending until its videos are in the store again.
SET_ASIDE = ".damaged"
BATCH_CLIPS = 4  # as extraction does by default


@dataclass(frozen=True)
class Repair:
    """What a repair did: ``damaged`` says what was wrong with each shard.

    ``restored`` shards have the very values that the manifest recorded; ``remade`` ones others, or other videos.
    """

    store: Path
    damaged: dict[str, str]
    restored: tuple[str, ...] = ()
    remade: tuple[str, ...] = ()
    failures: tuple[Failed, ...] = ()


def repair_store(
    store: str | Path,
    videos: Sequence[str | Path],
    *,
    encoder: str | None = None,
    weights: str | None = None,
    device: str = "cpu",
    on_progress: OnProgress = silent,
) -> Repair:
    """Make the damaged shards of the store at ``store`` again from ``videos`` (files, folders, lists).

    ``encoder`` and ``weights`` are needed where the store's encoder was not loaded by its name alone. A repair that
    was killed goes on when it is called again. Where the system does not let a shard be read, nothing is touched.
    """
    folder = local_path(store, name="store")
    manifest = read_manifest(folder)
    _require_extracted(folder, manifest)
    damaged = find_damaged(folder, manifest)
    if not damaged:
        return Repair(folder, {})
    groups = _plan(folder, manifest, damaged=list(damaged), videos=collect_videos(videos))
    backend = manifest.backend.partition("+")[0]
    loaded, _ = load_as_stored(
        manifest.encoder, encoder=encoder, weights=weights, backend=backend, device=device
    )
    failures: list[Failed] = []
    for name in damaged:
        with suppress(FileNotFoundError):
            os.replace(folder / name, folder / f"{name}{SET_ASIDE}")
    with StoreWriter(folder, manifest) as writer:
        for number, group in enumerate(groups):
            features, failed = _encode(group, loaded, manifest)
            failures += failed
            if features is not None:
                writer.write_shard(features)
            on_progress(Progress("mending shards", number + 1, len(groups)))
        mended = writer.finish()
    if not failures:
        for name in damaged:
            (folder / f"{name}{SET_ASIDE}").unlink(missing_ok=True)
    before = {name: shard.sha256 for name, shard in manifest.shards.items()}
    new = {
        name: shard.sha256 for name, shard in mended.shards.items() if name in damaged or name not in before
    }
    return Repair(
        folder,
        damaged,
        restored=tuple(name for name, sha256 in new.items() if before.get(name) == sha256),
        remade=tuple(name for name, sha256 in new.items() if before.get(name) != sha256),
        failures=tuple(failures),
    )


def _require_extracted(folder: Path, manifest: Manifest) -> None:
    """Refuse a store that was not made from videos, and say how to mend it."""
    if manifest.derived_from is not None:
        raise InputError(
            f"{folder} must be a store of raw features, got anonymized ones. Delete the shards that `veil verify` "
            "names and run `veil apply` again: it makes just those."
        )
    if manifest.encoder.frame_size < 1:
        raise InputError(
            f"{folder} must be extracted from videos, got imported features. Import them again to another folder."
        )


def _plan(
    folder: Path, manifest: Manifest, *, damaged: Sequence[str], videos: Sequence[VideoInput]
) -> list[list[VideoInput]]:
    """The videos of each shard to be made; those of shards that do not even tell their videos make one together."""
    given = {video.video: video for video in videos}
    intact = {
        video.video
        for name in manifest.shards
        if name not in damaged
        for video in read_footer(folder / name).videos
    }
    told = {name: _videos_told(folder / name) for name in damaged}
    known = [names for names in told.values() if names]
    missing = sorted({name for names in known for name in names} - set(given))
    if missing:
        raise InputError(
            f"videos must hold those of the damaged shards, got no file for {missing[0]!r} ({len(missing)} missing). "
            "Give the files, folders or lists that the store was extracted from."
        )
    groups = [[given[name] for name in names] for names in known]
    taken = intact | {name for names in known for name in names}
    rest = [video for video in videos if video.video not in taken]
    lost = sum(manifest.shards[name].videos for name, names in told.items() if not names)
    if lost > len(rest):
        raise InputError(
            f"videos must hold the {lost} of the shards that are lost, got {len(rest)} that the store does not have. "
            "Give the files, folders or lists that the store was extracted from."
        )
    return [*groups, rest] if lost else groups


def _videos_told(path: Path) -> list[str]:
    """The videos of a damaged shard, if its footer still tells them; their names make up the name of the file."""
    for place in (path, path.with_name(f"{path.name}{SET_ASIDE}")):
        with suppress(InputError):
            names = [video.video for video in read_footer(place).videos]
            if shard_name(names) == path.name:
                return names
    return []


def _encode(
    videos: Sequence[VideoInput], encoder: Encoder, manifest: Manifest
) -> tuple[FeatureSet | None, list[Failed]]:
    """The clips of some videos as the store has them, and the videos that cannot be read."""
    work = Work(
        clip_format=ClipFormat(manifest.sampling, encoder.info.clip_frames, encoder.info.frame_size),
        batch_clips=BATCH_CLIPS,
        threads=torch.get_num_threads(),
        dtype=manifest.dtype,
    )
    found: list[FeatureSet] = []
    failed: list[Failed] = []
    with closing(encode_videos(videos, encoder, work=work)) as events:
        for event in events:
            if isinstance(event, Finished):
                found.append(event.features)
            elif isinstance(event, Failed):
                failed.append(event)
    return (concatenate(found) if found else None), failed
