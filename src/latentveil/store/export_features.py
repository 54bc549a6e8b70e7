"""A store given back as the files that other tools read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path, PurePosixPath
from uuid import uuid4

import numpy as np

from latentveil.errors import InputError
from latentveil.store.read import FeatureStore
from latentveil.store.shard import require_video_key
from latentveil.types import STATIC, TEMPORAL, FeatureSet


def export_npy(store: FeatureStore, folder: str | Path, *, view: str | None = None) -> list[Path]:
    """Write ``folder/<video>.npy`` (T, D) in time order, static clips to ``folder/static/<video>.npy``.

    Returns the folder. A video name with slashes becomes subfolders.
    """
    folder = Path(folder)
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise InputError(f"{folder} must be a new or an empty folder, got one that holds something.")
    _require_distinct(store.videos, suffix=".npy")
    for video, kind, feature in _sequences(store, view):
        path = folder / _file_name(video, kind)
        if path.exists():
            raise InputError(f"videos must have different file names, got {path} twice.")
        path.parent.mkdir(parents=True, exist_ok=True)
        np.save(path, feature)
    return [folder]


def export_h5(store: FeatureStore, path: str | Path, *, view: str | None = None) -> list[Path]:
    """Write one HDF5 file with a dataset (T, D) per video, and static clips to a second one, `<name>_static.h5`.

    Returns the files. It is the layout of the features that the authors of SPLAVU released.
    """
    import h5py

    _require_distinct(store.videos, suffix="")
    path = Path(path)
    targets = {TEMPORAL: path, STATIC: path.with_name(f"{path.stem}_static{path.suffix}")}
    kinds = [kind for kind in targets if getattr(store.manifest.counts, kind)]
    temporaries = {kind: _temporary_for(targets[kind]) for kind in kinds}
    try:
        files = {kind: h5py.File(temporaries[kind], "w") for kind in kinds}
        try:
            for video, kind, feature in _sequences(store, view):
                files[kind].create_dataset(video, data=feature)
        finally:
            for file in files.values():
                file.close()
        for kind in kinds:
            os.replace(temporaries[kind], targets[kind])
    finally:
        for temporary in temporaries.values():
            temporary.unlink(missing_ok=True)
    return [targets[kind] for kind in kinds]


def export_npz(store: FeatureStore, path: str | Path, *, view: str | None = None) -> list[Path]:
    """Write one npz with an array per column of the store: video, clip, start_frame, time, kind, view, feature.

    Nothing is lost: importing the file gives the same rows. The whole store is held in memory.
    """
    path = Path(path)
    temporary = _temporary_for(path)
    features = _of_view(store.read(), view)
    _require_some(len(features), store, view)
    try:
        with open(temporary, "wb") as file:
            np.savez(file, **{column.name: getattr(features, column.name) for column in fields(FeatureSet)})
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return [path]


def _sequences(store: FeatureStore, view: str | None) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield (video, kind, feature (T, D) in time order) of one view, with one shard in memory."""
    count = 0
    for shard in store.shards():
        found: dict[tuple[str, str], str] = {}
        chosen = _of_view(shard, view)
        for video, kind, name, rows in chosen.sequences():
            other = found.setdefault((video, kind), name)
            if other != name:
                raise InputError(f"view must be chosen, got none. Video {video!r} has {other} and {name}.")
            yield video, kind, chosen.feature[rows]
            count += 1
    _require_some(count, store, view)


def _of_view(features: FeatureSet, view: str | None) -> FeatureSet:
    return features if view is None else features.select(features.view == view)


def _require_some(count: int, store: FeatureStore, view: str | None) -> None:
    if not count:
        which = "" if view is None else f" of view {view!r}"
        raise InputError(f"store {store.path} must hold clips{which} to export, got none.")


def _file_name(video: str, kind: str) -> str:
    return f"{STATIC}/{video}.npy" if kind == STATIC else f"{video}.npy"


def _require_distinct(videos: list[str], *, suffix: str) -> None:
    """Refuse names of which one would be a file and a folder (in HDF5: a dataset and a group) at once."""
    files = {video + suffix for video in videos}
    for video in videos:
        require_video_key(video)
        for parent in PurePosixPath(video).parents:
            if str(parent) in files:
                raise InputError(
                    f"{str(parent)!r} must be one array or a folder of them, got both because of video {video!r}."
                )


def _temporary_for(path: Path) -> Path:
    """A name beside ``path`` to write to first; what is already there is never overwritten."""
    if path.exists():
        raise InputError(f"{path} must be a new file, got one that exists.")
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} must be a folder, got nothing there.")
    return path.with_name(f".{path.name}.{uuid4().hex}.tmp")
