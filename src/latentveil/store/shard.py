"""The content of one shard: rows of whole videos in a fixed order, with a checksum and a footer that lists them."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from latentveil.errors import InputError
from latentveil.store.footer import Footer, VideoRows
from latentveil.types import KINDS, STATIC, TEMPORAL, FeatureSet

SHARD_PATTERN = "shard-*.parquet"
# Small enough that one video costs a few milliseconds, large enough that a full scan is not slowed down.
ROW_GROUP_BYTES = 1 << 20
TEXT_COLUMNS = ("video", "kind", "view")
INDEX_COLUMNS = ("video", "clip", "start_frame", "time", "kind", "view")


def require_video_key(video: str) -> None:
    """Refuse a key that is empty, not UTF-8, has control characters, or would leave a folder when used as a path."""
    if not is_utf8(video):
        raise InputError(f"video must be a name in UTF-8, got {video!r}.")
    parts = re.split(r"[/\\]", video)
    if any(part in ("", ".", "..") for part in parts) or re.search(r"[\x00-\x1f\x7f]", video):
        raise InputError(
            f"video must be a name or a relative path without '..' and control characters, got {video!r}."
        )


def is_utf8(name: str) -> bool:
    """Whether a name can be stored; one of a file whose bytes are not UTF-8 holds surrogates in their place."""
    return not any("\ud800" <= character <= "\udfff" for character in name)


def require_kinds(kinds: set[str]) -> None:
    """Refuse anything but temporal and static clips."""
    wrong = sorted(kinds - set(KINDS))
    if wrong:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {wrong[0]!r}.")


def shard_name(videos: Iterable[str]) -> str:
    """The file name of the shard that holds exactly ``videos``: a redo overwrites itself."""
    return f"shard-{hashlib.sha256(json.dumps(sorted(videos)).encode()).hexdigest()[:20]}.parquet"


def schema(dtype: str, dim: int) -> pa.Schema:
    item = pa.field("item", pa.from_numpy_dtype(np.dtype(dtype)), nullable=False)
    columns = {
        "video": pa.string(),
        "clip": pa.int32(),
        "start_frame": pa.int64(),
        "time": pa.float64(),
        "kind": pa.string(),
        "view": pa.string(),
        "feature": pa.list_(item, dim),
    }
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns.items()])


@dataclass(frozen=True, eq=False)
class ShardRows:
    """The rows of a shard in store order without their features, which are never held all at once.

    ``index`` is a table of every other column, ``layout`` the schema of the whole.
    """

    index: pa.Table
    layout: pa.Schema

    @cached_property
    def videos(self) -> tuple[VideoRows, ...]:
        """The videos in the order of their rows."""
        return count_rows(self.index["video"].to_pylist(), self.index["kind"].to_pylist())

    @cached_property
    def groups(self) -> list[range]:
        """The rows of each row group; one ends where a video ends."""
        feature = self.layout.field("feature").type
        group_rows = max(1, ROW_GROUP_BYTES // (feature.list_size * feature.value_type.byte_width))
        groups: list[range] = []
        start = end = 0
        for video in self.videos:
            end += video.rows
            if end - start >= group_rows or end == self.index.num_rows:
                groups.append(range(start, end))
                start = end
        return groups

    @property
    def name(self) -> str:
        return shard_name(video.video for video in self.videos)

    def table(self, rows: range, feature: np.ndarray) -> pa.Table:
        """Some rows with their features (n, D), which are checked and brought to the store's dtype."""
        kind = self.layout.field("feature").type
        if feature.shape != (len(rows), kind.list_size):
            raise InputError(
                f"feature must be of shape (N, {kind.list_size}) in this store, got {feature.shape}."
            )
        # to_pandas_dtype would ask for pandas in older versions of pyarrow
        dtype = np.dtype(f"float{kind.value_type.bit_width}")
        with np.errstate(over="ignore"):
            values = np.ascontiguousarray(feature, dtype=dtype)  # (n, D)
        finite = np.isfinite(values).all(axis=1)
        if not finite.all():
            bad = self.index["video"][rows.start + int(finite.argmin())].as_py()
            raise InputError(
                f"feature must be finite in {dtype}, got NaN, infinity or overflow in video {bad!r}."
            )
        column = pa.FixedSizeListArray.from_arrays(pa.array(values.reshape(-1)), type=kind)
        part = self.index.slice(rows.start, len(rows))
        return pa.Table.from_arrays([*part.columns, column], schema=self.layout)

    def footer(
        self, sha256: str, *, groups: Sequence[str], settings_sha256: str, source_sha256: str | None
    ) -> Footer:
        """The footer of a shard with these rows, the checksum ``sha256`` and those of its row groups."""
        rates = _frame_rates(column_values(self.index, "start_frame"), column_values(self.index, "time"))
        return Footer(
            sha256=sha256,
            settings_sha256=settings_sha256,
            videos=self.videos,
            fps=rates,
            source_sha256=source_sha256,
            groups=tuple(groups),
        )


def to_rows(features: FeatureSet, *, dtype: str, dim: int) -> tuple[ShardRows, np.ndarray]:
    """The rows of ``features`` checked and sorted by video, kind and time; with the order (N,) that sorts them."""
    _check(features, dim)
    video, kind, view = (np.unique(getattr(features, name), return_inverse=True)[1] for name in TEXT_COLUMNS)
    _check_unique(features, np.lexsort((features.clip, view, kind, video)))
    order = np.lexsort((features.clip, features.start_frame, view, kind, video))
    layout = schema(dtype, dim)
    columns = {name: getattr(features, name)[order] for name in INDEX_COLUMNS}
    columns |= {name: columns[name].astype(str) for name in TEXT_COLUMNS}
    index = [layout.field(name) for name in INDEX_COLUMNS]
    arrays = [pa.array(columns[field.name], type=field.type) for field in index]
    return ShardRows(pa.Table.from_arrays(arrays, schema=pa.schema(index)), layout), order


class Checksum:
    """A checksum of every value of a shard, the same however its rows are compressed or cut into row groups.

    It begins with all other columns; the features follow, part by part.
    """

    def __init__(self, rows: ShardRows) -> None:
        feature = rows.layout.field("feature").type
        self._digest = hashlib.sha256(
            json.dumps([rows.layout.names, str(feature.value_type), feature.list_size]).encode()
        )
        for name in INDEX_COLUMNS:
            if name in TEXT_COLUMNS:
                self._digest.update(json.dumps(rows.index[name].to_pylist()).encode())
            else:
                self._digest.update(column_values(rows.index, name).data)

    def add_features(self, table: pa.Table) -> None:
        """Take in the features of the rows that follow."""
        self._digest.update(column_values(table, "feature").data)

    def hexdigest(self) -> str:
        return self._digest.hexdigest()


def group_sha256(table: pa.Table) -> str:
    """The checksum of every value of one row group, which ``table`` holds with all its columns."""
    digest = hashlib.sha256(json.dumps(table.num_rows).encode())
    for name in (*INDEX_COLUMNS, "feature"):
        if name in TEXT_COLUMNS:
            names, ends = _text_runs(table[name])
            digest.update(json.dumps([name, names]).encode())
            digest.update(ends.data)
        else:
            values = column_values(table, name)
            digest.update(json.dumps([name, str(values.dtype), values.shape]).encode())
            digest.update(values.data)
    return digest.hexdigest()


def _text_runs(column: pa.ChunkedArray) -> tuple[list[str], np.ndarray]:
    """The values of a text column without repetitions of neighbours, and where each of these runs ends."""
    array = column.combine_chunks()
    if not pa.types.is_dictionary(array.type):
        array = array.dictionary_encode()
    places = array.indices.to_numpy(zero_copy_only=False)
    ends = np.append(np.flatnonzero(np.diff(places)) + 1, len(places))  # (R,)
    known = array.dictionary.to_pylist()
    return [known[place] for place in places[ends - 1].tolist()], ends.astype(np.int64)


def column_values(table: pa.Table, name: str) -> np.ndarray:
    """A numeric column as a contiguous array: (N,), or (N, D) for ``feature``."""
    column = table[name].combine_chunks()
    if name != "feature":
        return np.ascontiguousarray(column.to_numpy(zero_copy_only=False))
    dim = column.type.list_size
    return np.ascontiguousarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(-1, dim)  # (N, D)


def count_rows(videos: Sequence[str], kinds: Sequence[str]) -> tuple[VideoRows, ...]:
    """The number of static and temporal rows of each video, in the order of their first rows."""
    require_kinds(set(kinds))
    counts: dict[str, dict[str, int]] = {}
    for video, kind in zip(videos, kinds):
        counts.setdefault(video, {STATIC: 0, TEMPORAL: 0})[kind] += 1
    return tuple(VideoRows(video, found[STATIC], found[TEMPORAL]) for video, found in counts.items())


def _check(features: FeatureSet, dim: int) -> None:
    if not len(features):
        raise InputError("a shard must hold at least one clip, got none.")
    if features.dim != dim:
        raise InputError(f"feature must be of shape (N, {dim}) in this store, got {features.feature.shape}.")
    for video in features.videos:
        require_video_key(video)
    require_kinds(set(features.kind.tolist()))


def _check_unique(features: FeatureSet, order: np.ndarray) -> None:
    """Refuse a clip that comes twice; ``order`` (N,) brings the rows of one clip together."""
    keys = [getattr(features, name)[order] for name in (*TEXT_COLUMNS, "clip")]
    repeated = np.logical_and.reduce([key[1:] == key[:-1] for key in keys])  # (N - 1,)
    if repeated.any():
        video, kind, view, clip = (key[repeated.argmax()] for key in keys)
        raise InputError(
            f"each clip must come once, got {kind} clip {clip} of video {video!s} ({view}) twice."
        )


def _frame_rates(start_frame: np.ndarray, time: np.ndarray) -> tuple[float, float] | None:
    """The smallest and largest frame rate that start_frame (N,) and time (N,) in seconds speak of."""
    told = (start_frame > 0) & (time > 0)  # an unknown time is NaN, and NaN > 0 is False
    rates = start_frame[told] / time[told]
    return (float(rates.min()), float(rates.max())) if len(rates) else None
