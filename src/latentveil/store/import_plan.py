"""What the files of an import hold, told from their headers alone and checked before anything is written."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.arguments import argument
from latentveil.errors import InputError, UsageError
from latentveil.files.places import Place, files_below, path_within, require_no_folder
from latentveil.notices import notify
from latentveil.store.array_files import SUFFIXES, list_arrays, load_array, load_text
from latentveil.store.shard import require_video_key
from latentveil.types import KINDS, STATIC, TEMPORAL

# A file with one of these arrays is one video, named by the file; any other holds one array per video.
FEATURE_ARRAYS = ("feature", "features", "feat", "feats")
# With the array `video` beside the features, a file is a table with one row per clip; these are used where it has them.
OPTIONAL_TABLE_ARRAYS = {"kind", "clip", "start_frame", "time", "view"}
# What numpy calls the first and the second array without a name.
FIRST_UNNAMED, SECOND_UNNAMED = "arr_0", "arr_1"


@dataclass(frozen=True)
class Source:
    """The clips of one kind of one video: an array in a file, or those ``rows`` of a table in one."""

    video: str
    kind: str
    path: Place
    array: str
    dim: int
    num_rows: int
    rows: np.ndarray | None = None


def plan_import(files: Iterable[Place], static_files: Iterable[Place]) -> list[Source]:
    """Everything that ``files`` (and folders) hold, and ``static_files`` as static clips, checked."""
    sources = [*_plan(files, kind=TEMPORAL), *_plan(static_files, kind=STATIC)]
    _check_plan(sources)
    return sources


def _plan(files: Iterable[Place], *, kind: str) -> Iterator[Source]:
    """What the files hold, told from their headers alone."""
    for given in files:
        for path, video in _expand(given):
            parts = video.split("/")
            inside_static = given.is_dir() and len(parts) > 1 and parts[0] == STATIC
            if inside_static:  # the layout of `veil export --npy`
                yield from _plan_file(path, video="/".join(parts[1:]), kind=STATIC)
            else:
                yield from _plan_file(path, video=video, kind=kind)


def _expand(given: Place) -> list[tuple[Place, str]]:
    """The feature files at a path, each with the video name its own name stands for."""
    if given.is_dir():
        found = files_below(given, SUFFIXES)
        if not found:
            raise InputError(f"{given} must hold files of {', '.join(SUFFIXES)}, got none.")
        for path in found:
            require_no_folder(path)
        return [(path, path_within(path, given).with_suffix("").as_posix()) for path in found]
    if not given.is_file():
        raise InputError(f"{given} must be a file or a folder, got nothing there.")
    if given.suffix.lower() not in SUFFIXES:
        raise InputError(f"{given} must end in {', '.join(SUFFIXES)}, got {given.suffix or 'no ending'!r}.")
    return [(given, given.stem)]


def _plan_file(path: Place, *, video: str, kind: str) -> Iterator[Source]:
    shapes = list_arrays(path)
    if not shapes:
        raise InputError(f"{path} must hold at least one array, got none.")
    feature = _feature_array(shapes)
    if feature is None:
        for name, shape in shapes.items():
            yield _plan_array(path, name, shape=shape, video=name, kind=kind)
        return
    _refuse_other_features(path, shapes, feature=feature)
    if "video" in shapes:
        yield from _plan_table(path, shapes, feature=feature, kind=kind)
    else:
        _tell_unused_names(path, shapes, feature=feature)
        yield _plan_array(path, feature, shape=shapes[feature], video=video, kind=kind)


def _tell_unused_names(path: Place, shapes: Mapping[str, tuple[int, ...]], *, feature: str) -> None:
    """Say that all rows are of one video where one text for each, not always the same, looks like their names."""
    others = shapes.keys() - OPTIONAL_TABLE_ARRAYS - {feature}
    for name in sorted(one for one in others if shapes[one] == shapes[feature][:1] != (1,)):
        try:
            texts = load_array(path, name)
        except InputError:  # what nobody may read names no video
            continue
        if texts.dtype.kind in "USO" and len(set(texts.tolist())) > 1:
            notify(
                f"{path}: names of videos must be in an array 'video', got {name!r}: all {len(texts)} rows are taken "
                "for clips of one video. Rename it if they are of several."
            )


def _feature_array(shapes: Mapping[str, tuple[int, ...]]) -> str | None:
    """The array that holds all features of a file, or None where each array is a video."""
    names = ["", *FEATURE_ARRAYS]
    if SECOND_UNNAMED not in shapes:
        names.append(FIRST_UNNAMED)
    return next((name for name in names if name in shapes), None)


def _refuse_other_features(path: Place, shapes: Mapping[str, tuple[int, ...]], *, feature: str) -> None:
    """Refuse a second array that looks like features: it would be left out without a word."""
    for name, shape in shapes.items():
        if name != feature and len(shape) == 2 and load_array(path, name).dtype.kind == "f":
            raise InputError(
                f"{path} must hold one array of features, got {feature!r} and {name!r} of shape {shape}. "
                "Save each in a file of its own, or name every array by its video."
            )


def _plan_array(path: Place, name: str, *, shape: tuple[int, ...], video: str, kind: str) -> Source:
    where = f"{path}, array {name!r}," if name else str(path)
    if len(shape) not in (1, 2):
        raise InputError(
            f"{where} must be of shape (T, D) or (D,), got {shape}. For several crops, take one or their mean."
        )
    if 0 in shape:
        raise InputError(f"{where} must not be empty, got shape {shape}.")
    num_rows, dim = (1, *shape)[-2:]
    return Source(video, kind, path, name, dim=dim, num_rows=num_rows)


def _plan_table(
    path: Place, shapes: Mapping[str, tuple[int, ...]], *, feature: str, kind: str
) -> Iterator[Source]:
    """The layout with one row per clip: arrays video (N,), feature (N, D), and kind, start_frame, ... (N,)."""
    shape = shapes[feature]
    if len(shape) != 2 or 0 in shape:
        raise InputError(f"{path}: {feature} must be of shape (N, D), got {shape}.")
    for name in sorted(shapes.keys() & (OPTIONAL_TABLE_ARRAYS | {"video"})):
        if shapes[name] != shape[:1]:
            raise InputError(
                f"{path}: {name} must be of shape ({shape[0]},) to go with {feature}, got {shapes[name]}."
            )
    videos = load_text(path, "video")
    kinds = load_text(path, "kind") if "kind" in shapes else np.full(len(videos), kind)
    groups: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row, key in enumerate(zip(videos.tolist(), kinds.tolist())):
        groups[key].append(row)
    for (video, found_kind), rows in groups.items():
        yield Source(video, found_kind, path, feature, dim=shape[1], num_rows=len(rows), rows=np.array(rows))


def _check_plan(sources: Sequence[Source]) -> None:
    """Refuse names, kinds, dimensions or repetitions that the store cannot take, naming the files."""
    if not sources:
        raise UsageError("files must name at least one file or folder, got none.")
    first: dict[tuple[str, str], Source] = {}
    for source in sources:
        try:
            require_video_key(source.video)
        except InputError as error:
            raise InputError(f"{source.path}: {error}") from error
        if source.kind not in KINDS:
            raise InputError(f"{source.path}: kind must be one of {', '.join(KINDS)}, got {source.kind!r}.")
        if source.dim != sources[0].dim:
            raise InputError(
                f"all features must have the same dimension, got {sources[0].dim} in {sources[0].path} "
                f"and {source.dim} in {source.path}."
            )
        other = first.setdefault((source.video, source.kind), source)
        if other is not source:
            raise InputError(
                f"each video must come once, got {source.kind} clips of {source.video!r} in {other.path} "
                f"and {source.path}. Static clips are given as {argument('stills')}."
            )
