"""A store given back as the files that other tools read."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import fields, replace
from io import BytesIO
from pathlib import Path, PurePosixPath

import numpy as np

from latentveil.errors import InputError
from latentveil.files.outputs import require_output_folder, write_whole, written_whole
from latentveil.files.place_files import remove_halves
from latentveil.store.exported_before import require_exported_before
from latentveil.store.h5_writing import new_h5
from latentveil.store.one_run import RUNNING, one_run_in
from latentveil.store.read import FeatureStore
from latentveil.store.renaming import NewNames
from latentveil.store.shard import require_video_key
from latentveil.types import STATIC, TEMPORAL, FeatureSet

# In a folder of .npy files that are not all there yet: what they are made from.
UNFINISHED = ".unfinished"
NEW_FILE = "a new file"


def export_npy(
    store: FeatureStore, folder: str | Path, *, view: str | None = None, names: NewNames | None = None
) -> list[Path]:
    """Write ``folder/<video>.npy`` (T, D) in time order, static clips to ``folder/static/<video>.npy``.

    Returns the folder. A video name with slashes becomes subfolders; ``names`` has other names for all of them. A run
    that was stopped goes on: files that are there are whole. A finished one is found again.
    """
    folder = Path(folder)
    _require_distinct(_named(store.videos, names), suffix=".npy")
    require_output_folder(folder)
    with one_run_in(folder):
        remove_halves(folder)
        there = [path for path in folder.rglob("*") if path.name != RUNNING]
        if there and not (folder / UNFINISHED).is_file():
            files = [path for path in there if not path.is_dir()]
            wanted = ((path, "", feature) for path, feature in _npy_files(store, folder, view, names))
            require_exported_before(folder, files, wanted, rule="a new or an empty folder")
            return [folder]
        _claim(folder, _fingerprint(store, view, names))
        for path, feature in _npy_files(store, folder, view, names):
            if not path.exists():
                path.parent.mkdir(parents=True, exist_ok=True)
                content = BytesIO()  # numpy does not notice where a disk is full
                np.save(content, feature)
                write_whole(path, content.getvalue())
        (folder / UNFINISHED).unlink()
    return [folder]


def _npy_files(
    store: FeatureStore, folder: Path, view: str | None, names: NewNames | None
) -> Iterator[tuple[Path, np.ndarray]]:
    """Yield each file of an export, and the features (T, D) for it."""
    seen: set[Path] = set()
    for video, kind, feature in _sequences(store, view, names):
        path = folder / _file_name(video, kind)
        if path in seen:
            raise InputError(f"videos must have different file names, got {path} twice.")
        seen.add(path)
        yield path, feature


def _claim(folder: Path, fingerprint: str) -> None:
    """Mark ``folder`` as one of an export that is not finished; refuse the unfinished export of something else."""
    mark = folder / UNFINISHED
    if mark.is_file():
        if mark.read_text().strip() != fingerprint:
            raise InputError(
                f"{folder} must go on with the same store and view, got others. Delete it first."
            )
        for leftover in folder.rglob(".*.npy.*tmp"):
            leftover.unlink(missing_ok=True)
    else:
        write_whole(mark, fingerprint + "\n")


def _fingerprint(store: FeatureStore, view: str | None, names: NewNames | None) -> str:
    """What an export is made from: the same for a run that goes on."""
    told = [
        view,
        *sorted((names or {}).items()),
        *(f"{name} {shard.sha256}" for name, shard in sorted(store.manifest.shards.items())),
    ]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()


def export_h5(
    store: FeatureStore, path: str | Path, *, view: str | None = None, names: NewNames | None = None
) -> list[Path]:
    """Write one HDF5 file with a dataset (T, D) per video, and static clips to a second one, `<name>_static.h5`.

    Returns the files. It is the layout of the features that the authors of SPLAVU released.
    """
    _require_distinct(_named(store.videos, names), suffix="")
    path = Path(path)
    targets = {TEMPORAL: path, STATIC: path.with_name(f"{path.stem}_static{path.suffix}")}
    kinds = [kind for kind in targets if getattr(store.manifest.counts, kind)]
    made = [targets[kind] for kind in kinds]
    if any(target.exists() for target in made):
        wanted = ((targets[kind], video, feature) for video, kind, feature in _sequences(store, view, names))
        require_exported_before(path, made, wanted, rule=NEW_FILE)
        return made
    _require_folder_of(path)
    with ExitStack() as stack:
        temporaries = {kind: stack.enter_context(written_whole(targets[kind])) for kind in kinds}
        with ExitStack() as opened:
            files = {kind: opened.enter_context(new_h5(temporaries[kind])) for kind in kinds}
            for video, kind, feature in _sequences(store, view, names):
                files[kind].write(video, feature)
    return made


def export_npz(
    store: FeatureStore, path: str | Path, *, view: str | None = None, names: NewNames | None = None
) -> list[Path]:
    """Write one npz with an array per column of the store: video, clip, start_frame, time, kind, view, feature.

    Nothing is lost: importing the file gives the same rows. The whole store is held in memory.
    """
    path = Path(path)
    if not path.exists():
        _require_folder_of(path)
    features = _of_view(store.read(), view)
    _require_some(len(features), store, view)
    if names is not None:  # in the order of the new names: the old order would tell what they were
        features = replace(features, video=np.array(_named(features.video.tolist(), names)))
        features = features.select(np.argsort(features.video, kind="stable"))
    columns = {column.name: getattr(features, column.name) for column in fields(FeatureSet)}
    if path.exists():
        wanted = ((path, name, values) for name, values in columns.items())
        require_exported_before(path, [path], wanted, rule=NEW_FILE)
        return [path]
    with written_whole(path) as temporary, open(temporary, "wb") as file:
        np.savez(file, **columns)
    return [path]


def _sequences(
    store: FeatureStore, view: str | None, names: NewNames | None
) -> Iterator[tuple[str, str, np.ndarray]]:
    """Yield (video, kind, feature (T, D) in time order) of one view, by their new names, with one shard in memory."""
    count = 0
    for shard in store.shards():
        found: dict[tuple[str, str], str] = {}
        chosen = _of_view(shard, view)
        for video, kind, name, rows in chosen.sequences():
            other = found.setdefault((video, kind), name)
            if other != name:
                raise InputError(f"view must be chosen, got none. Video {video!r} has {other} and {name}.")
            yield _named([video], names)[0], kind, chosen.feature[rows]
            count += 1
    _require_some(count, store, view)


def _named(videos: Sequence[str], names: NewNames | None) -> list[str]:
    """The names that videos leave the house with."""
    return list(videos) if names is None else [names[video] for video in videos]


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


def _require_folder_of(path: Path) -> None:
    """Refuse a file that cannot be made."""
    if not path.parent.is_dir():
        raise InputError(f"{path.parent} must be a folder, got nothing there.")
    require_output_folder(path.parent)
