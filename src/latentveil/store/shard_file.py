"""The Parquet file of one shard: written row group by row group as features come, and read the same way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, fields, replace
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from latentveil.errors import InputError
from latentveil.places import Place
from latentveil.store.shard import (
    INDEX_COLUMNS,
    TEXT_COLUMNS,
    Checksum,
    Footer,
    ShardRows,
    VideoRows,
    column_values,
    schema,
)
from latentveil.types import FeatureSet

FOOTER_KEY = b"latentveil"


def write_shard_file(
    path: Path,
    rows: ShardRows,
    features: Iterable[np.ndarray],
    *,
    settings_sha256: str,
    source_sha256: str | None = None,
) -> Footer:
    """Write a shard whose ``features`` come as one array (n, D) per row group, in order; then its footer."""
    checksum = Checksum(rows)
    with pq.ParquetWriter(
        path,
        rows.layout,
        compression="zstd",
        compression_level=1,
        use_dictionary=list(TEXT_COLUMNS),
        write_statistics=False,
        data_page_version="2.0",
    ) as writer:
        for group, feature in zip(rows.groups, features, strict=True):
            table = rows.table(group, feature)
            checksum.add_features(table)
            writer.write_table(table, row_group_size=len(group))
        footer = rows.footer(
            checksum.hexdigest(), settings_sha256=settings_sha256, source_sha256=source_sha256
        )
        compact = asdict(footer) | {
            "videos": [[video.video, video.static, video.temporal] for video in footer.videos]
        }
        writer.add_key_value_metadata({FOOTER_KEY: json.dumps(compact)})
    return footer


class OpenShard:
    """A shard open for reading; a missing or damaged file is refused by name.

    A mapped file is the faster one for many small reads; one that is not mapped never takes more memory than what
    is read at a time.
    """

    def __init__(self, path: Place, *, memory_map: bool = True) -> None:
        self.path = path
        try:
            source = path if isinstance(path, Path) else path.open()
            self.file = pq.ParquetFile(source, memory_map=memory_map, read_dictionary=list(TEXT_COLUMNS))
        except FileNotFoundError as error:
            raise InputError(f"shard {path} must exist, got no file. Make the store again.") from error
        except (pa.ArrowException, OSError, KeyError) as error:  # KeyError: a column is missing
            raise damaged(path, error) from error
        layout = self.file.schema_arrow
        if layout.names != [*INDEX_COLUMNS, "feature"] or not pa.types.is_fixed_size_list(layout.types[-1]):
            raise damaged(path, f"the columns {', '.join(layout.names)}")
        sizes = [self.file.metadata.row_group(group).num_rows for group in range(self.file.num_row_groups)]
        self.bounds = np.cumsum([0, *sizes])  # (G + 1,), the first rows of the row groups, and the end

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.file.close()

    @property
    def num_rows(self) -> int:
        return int(self.bounds[-1])

    def read_footer(self) -> Footer:
        """What the shard says about itself, without touching its rows."""
        try:
            raw = json.loads((self.file.metadata.metadata or {})[FOOTER_KEY])
            videos = tuple(VideoRows(*video) for video in raw.pop("videos"))
            fps = raw.pop("fps")
            footer = Footer(videos=videos, fps=fps and tuple(fps), **raw)
        except (KeyError, TypeError, ValueError) as error:
            raise damaged(self.path, error) from error
        if footer.rows != self.num_rows:
            raise damaged(self.path, f"{self.num_rows} rows where its footer lists {footer.rows}")
        return footer

    def read_rows(self, *, dtype: str, dim: int) -> ShardRows:
        """All rows without their features; ``dtype`` and ``dim`` are those of the features that go with them."""
        layout = schema(dtype, dim)
        index = pa.schema([layout.field(name) for name in INDEX_COLUMNS])
        try:
            return ShardRows(
                self.file.read(columns=list(INDEX_COLUMNS), use_threads=False).cast(index), layout
            )
        except (pa.ArrowException, OSError) as error:
            raise damaged(self.path, error) from error

    def read_group(self, group: int, columns: list[str] | None = None) -> pa.Table:
        """The rows of one row group."""
        try:
            return self.file.read_row_group(group, columns=columns, use_threads=False)
        except (pa.ArrowException, OSError) as error:
            raise damaged(self.path, error) from error

    def read_features(self, group: int) -> FeatureSet:
        """The rows of one row group in memory, ``.feature`` (n, D) as float32."""
        try:
            return to_features(self.read_group(group))
        except IndexError as error:  # a text that its dictionary does not have
            raise damaged(self.path, error) from error

    def groups(self, rows: range) -> Iterator[tuple[int, slice]]:
        """Yield (row group, rows within it) for a range of rows."""
        bounds = self.bounds
        for group in range(np.searchsorted(bounds, rows.start, side="right") - 1, len(bounds) - 1):
            start, end = max(rows.start, bounds[group]), min(rows.stop, bounds[group + 1])
            if start >= end:
                return
            yield group, slice(start - bounds[group], end - bounds[group])

    def read(self, rows: range, *, dim: int) -> FeatureSet:
        """Some consecutive rows, sorted as they are; ``.feature`` (n, D)."""
        found = empty_features(len(rows), dim)
        self.copy([(rows, 0)], found)
        return with_text(found)

    def copy(self, spans: Iterable[tuple[range, int]], found: FeatureSet) -> None:
        """Copy ranges of rows to their places in ``found``, decoding each row group once."""
        wanted: dict[int, list[tuple[slice, int]]] = {}
        for rows, target in spans:
            for group, part in self.groups(rows):
                wanted.setdefault(group, []).append((part, target))
                target += part.stop - part.start
        for group, copies in wanted.items():
            features = self.read_features(group)
            for part, target in copies:
                places = slice(target, target + part.stop - part.start)
                for column in fields(FeatureSet):
                    getattr(found, column.name)[places] = getattr(features, column.name)[part]


def read_footer(path: Place) -> Footer:
    """The footer of the shard at ``path``."""
    with OpenShard(path) as shard:
        return shard.read_footer()


def damaged(path: Place, reason: object) -> InputError:
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


def empty_features(rows: int, dim: int) -> FeatureSet:
    """Room for ``rows`` clips; text columns hold objects until their widths are known."""
    return FeatureSet(
        video=np.empty(rows, object),
        clip=np.empty(rows, np.int32),
        start_frame=np.empty(rows, np.int64),
        time=np.empty(rows, np.float64),
        kind=np.empty(rows, object),
        view=np.empty(rows, object),
        feature=np.empty((rows, dim), np.float32),
    )


def with_text(features: FeatureSet) -> FeatureSet:
    """The same rows with text columns of the width that their values need."""
    return replace(features, **{name: getattr(features, name).astype(str) for name in TEXT_COLUMNS})
