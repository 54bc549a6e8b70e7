"""The format of one shard: a Parquet file of whole videos whose footer lists them and carries a checksum."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from latentveil.errors import InputError
from latentveil.types import KINDS, STATIC, TEMPORAL, FeatureSet

FOOTER_KEY = b"latentveil"
SHARD_PATTERN = "shard-*.parquet"
# Small enough that one video costs a few milliseconds, large enough that a full scan is not slowed down.
ROW_GROUP_BYTES = 1 << 20
TEXT_COLUMNS = ("video", "kind", "view")


@dataclass(frozen=True)
class VideoRows:
    """How many rows of a shard belong to one video; its static clips come first, each kind in time order."""

    video: str
    static: int
    temporal: int

    @property
    def rows(self) -> int:
        return self.static + self.temporal


@dataclass(frozen=True)
class Footer:
    """What a shard says about itself.

    ``sha256`` is the checksum of the content, whatever the compression; ``settings_sha256`` names the settings it was
    made with; ``fps`` the smallest and largest frame rate in it; ``source_sha256`` the shard it was derived from.
    """

    sha256: str
    settings_sha256: str
    videos: tuple[VideoRows, ...]
    fps: tuple[float, float] | None = None
    source_sha256: str | None = None

    @property
    def rows(self) -> int:
        return sum(video.rows for video in self.videos)


def require_video_key(video: str) -> None:
    """Refuse a video key that is empty, has control characters, or would leave a folder when used as a path."""
    parts = re.split(r"[/\\]", video)
    if any(part in ("", ".", "..") for part in parts) or re.search(r"[\x00-\x1f\x7f]", video):
        raise InputError(
            f"video must be a name or a relative path without '..' and control characters, got {video!r}."
        )


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


def to_table(features: FeatureSet, *, dtype: str, dim: int) -> pa.Table:
    """The rows of ``features`` (N, D), checked, sorted by video, kind and time, in the types of the store."""
    _check(features, dim)
    video, kind, view = (np.unique(getattr(features, name), return_inverse=True)[1] for name in TEXT_COLUMNS)
    _check_unique(features, np.lexsort((features.clip, view, kind, video)))
    features = features.select(np.lexsort((features.clip, features.start_frame, view, kind, video)))
    with np.errstate(over="ignore"):
        feature = np.ascontiguousarray(features.feature, dtype=dtype)  # (N, D)
    finite = np.isfinite(feature).all(axis=1)
    if not finite.all():
        bad = str(features.video[finite.argmin()])
        raise InputError(
            f"feature must be finite in {dtype}, got NaN, infinity or overflow in video {bad!r}."
        )
    layout = schema(dtype, dim)
    columns = {field.name: getattr(features, field.name) for field in layout}
    columns |= {name: columns[name].astype(str) for name in TEXT_COLUMNS}
    arrays = [pa.array(columns[field.name], type=field.type) for field in layout if field.name != "feature"]
    rows = pa.FixedSizeListArray.from_arrays(pa.array(feature.reshape(-1)), type=layout.field("feature").type)
    return pa.Table.from_arrays([*arrays, rows], schema=layout)


def content_sha256(table: pa.Table) -> str:
    """A checksum of every value of the table, the same however the rows are compressed or cut into row groups."""
    feature = table.schema.field("feature").type
    digest = hashlib.sha256(
        json.dumps([table.column_names, str(feature.value_type), feature.list_size]).encode()
    )
    for name in table.column_names:
        if name in TEXT_COLUMNS:
            digest.update(json.dumps(table[name].to_pylist()).encode())
        else:
            digest.update(column_values(table, name).data)
    return digest.hexdigest()


def column_values(table: pa.Table, name: str) -> np.ndarray:
    """A numeric column as a contiguous array: (N,), or (N, D) for ``feature``."""
    column = table[name].combine_chunks()
    if name != "feature":
        return np.ascontiguousarray(column.to_numpy(zero_copy_only=False))
    dim = column.type.list_size
    return np.ascontiguousarray(column.flatten().to_numpy(zero_copy_only=False)).reshape(-1, dim)  # (N, D)


def describe(table: pa.Table, *, settings_sha256: str, source_sha256: str | None) -> Footer:
    """The footer that belongs to a table in store order."""
    return Footer(
        sha256=content_sha256(table),
        settings_sha256=settings_sha256,
        videos=count_rows(table["video"].to_pylist(), table["kind"].to_pylist()),
        fps=_frame_rates(column_values(table, "start_frame"), column_values(table, "time")),
        source_sha256=source_sha256,
    )


def count_rows(videos: Sequence[str], kinds: Sequence[str]) -> tuple[VideoRows, ...]:
    """The number of static and temporal rows of each video, in the order of their first rows."""
    counts: dict[str, dict[str, int]] = {}
    for video, kind in zip(videos, kinds):
        counts.setdefault(video, {STATIC: 0, TEMPORAL: 0})[kind] += 1
    return tuple(VideoRows(video, found[STATIC], found[TEMPORAL]) for video, found in counts.items())


def write_parquet(path: Path, table: pa.Table, footer: Footer) -> None:
    """Write the table with row groups that end where a video ends, then its footer."""
    compact = asdict(footer) | {
        "videos": [[video.video, video.static, video.temporal] for video in footer.videos]
    }
    layout = table.schema.with_metadata({FOOTER_KEY: json.dumps(compact)})
    feature = table.schema.field("feature").type
    group_rows = max(1, ROW_GROUP_BYTES // (feature.list_size * feature.value_type.byte_width))
    with pq.ParquetWriter(
        path,
        layout,
        compression="zstd",
        compression_level=1,
        use_dictionary=list(TEXT_COLUMNS),
        write_statistics=False,
        data_page_version="2.0",
    ) as writer:
        start = end = 0
        for video in footer.videos:
            end += video.rows
            if end - start >= group_rows or end == table.num_rows:
                writer.write_table(table.slice(start, end - start), row_group_size=end - start)
                start = end


def open_parquet(path: Path) -> pq.ParquetFile:
    """The shard at ``path``, memory-mapped; a missing or damaged file is refused by name."""
    try:
        return pq.ParquetFile(path, memory_map=True, read_dictionary=list(TEXT_COLUMNS))
    except FileNotFoundError as error:
        raise InputError(f"shard {path} must exist, got no file. Make the store again.") from error
    except (pa.ArrowException, OSError) as error:
        raise damaged(path, error) from error


def read_footer(path: Path) -> Footer:
    """The footer of the shard at ``path``, without touching its rows."""
    with open_parquet(path) as file:
        return parse_footer(file, path)


def parse_footer(file: pq.ParquetFile, path: Path) -> Footer:
    try:
        raw = json.loads((file.schema_arrow.metadata or {})[FOOTER_KEY])
        videos = tuple(VideoRows(*video) for video in raw.pop("videos"))
        fps = raw.pop("fps")
        footer = Footer(videos=videos, fps=fps and tuple(fps), **raw)
    except (KeyError, TypeError, ValueError) as error:
        raise damaged(path, error) from error
    if footer.rows != file.metadata.num_rows:
        raise damaged(path, f"{file.metadata.num_rows} rows where its footer lists {footer.rows}")
    return footer


def damaged(path: Path, reason: object) -> InputError:
    return InputError(f"shard {path} must be whole, got {reason}. Delete it and make it again.")


def to_features(table: pa.Table) -> FeatureSet:
    """The rows of a table in memory, ``feature`` (N, D) as float32."""
    columns = {name: column_values(table, name) for name in ("clip", "start_frame", "time")}
    columns |= {name: _text_values(table, name) for name in TEXT_COLUMNS}
    feature = column_values(table, "feature").astype(
        np.float32
    )  # (N, D), a copy that outlives the mapped file
    return FeatureSet(feature=feature, **columns)


def _text_values(table: pa.Table, name: str) -> np.ndarray:
    """A text column (N,) as numpy text; it is read dictionary-encoded, so each name is decoded once."""
    column = table[name].combine_chunks()
    if not pa.types.is_dictionary(column.type):
        column = column.dictionary_encode()
    return np.array(column.dictionary.to_pylist(), dtype=str)[column.indices.to_numpy()]


def _check(features: FeatureSet, dim: int) -> None:
    if not len(features):
        raise InputError("a shard must hold at least one clip, got none.")
    if features.dim != dim:
        raise InputError(f"feature must be of shape (N, {dim}) in this store, got {features.feature.shape}.")
    for video in features.videos:
        require_video_key(video)
    wrong = sorted(set(features.kind.tolist()) - set(KINDS))
    if wrong:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {wrong[0]!r}.")


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
