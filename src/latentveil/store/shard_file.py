"""The Parquet file of one shard: written row group by row group as features come, and read the same way."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterable, Iterator
from dataclasses import fields
from pathlib import Path
from typing import Self

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from latentveil.errors import InputError
from latentveil.files.places import Place
from latentveil.files.regular_files import require_regular_file
from latentveil.store.footer import Footer
from latentveil.store.in_memory import empty_features, to_features, with_text
from latentveil.store.shard import (
    INDEX_COLUMNS,
    TEXT_COLUMNS,
    Checksum,
    ShardRows,
    group_sha256,
    schema,
)
from latentveil.types import FeatureSet

FOOTER_KEY = b"latentveil"
# What the system says where a damaged footer leads beyond the file.
SAID_OF_DAMAGE = (errno.EINVAL, errno.EOVERFLOW)


class UnreadableShardError(InputError):
    """A shard that the system does not let us read, for want of a right, say; what is in it may well be whole."""


def write_shard_file(
    path: Path,
    rows: ShardRows,
    features: Iterable[np.ndarray],
    *,
    settings_sha256: str,
    source_sha256: str | None = None,
) -> Footer:
    """Write a shard whose ``features`` come as one array (n, D) per row group, in order; then its footer."""
    checksum, groups = Checksum(rows), []
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
            groups.append(group_sha256(table))
            writer.write_table(table, row_group_size=len(group))
        footer = rows.footer(
            checksum.hexdigest(),
            groups=groups,
            settings_sha256=settings_sha256,
            source_sha256=source_sha256,
        )
        writer.add_key_value_metadata({FOOTER_KEY: footer.to_json()})
    return footer


class OpenShard:
    """A shard open for reading; a missing or damaged file is refused by name.

    A mapped file is the faster one for many small reads; one that is not mapped never takes more memory than what
    is read at a time. After ``check_groups`` every row group is compared with its checksum whenever it is read.
    """

    def __init__(self, path: Place, *, memory_map: bool = True) -> None:
        self.path = path
        require_regular_file(path, what="a shard")
        try:
            source = path if isinstance(path, Path) else path.open()
            self.file = pq.ParquetFile(source, memory_map=memory_map, read_dictionary=list(TEXT_COLUMNS))
        except FileNotFoundError as error:
            raise InputError(f"shard {path} must exist, got no file. Make the store again.") from error
        except (pa.ArrowException, OSError, KeyError) as error:  # KeyError: a column is missing
            raise refusal(path, error) from error
        self.layout = _known_layout(self.file.schema_arrow, path)
        sizes = [self.file.metadata.row_group(group).num_rows for group in range(self.file.num_row_groups)]
        self.bounds = np.cumsum([0, *sizes])  # (G + 1,), the first rows of the row groups, and the end
        self._group_sha256: tuple[str, ...] | None = None

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
            footer = Footer.from_json((self.file.metadata.metadata or {})[FOOTER_KEY])
        except (
            KeyError,
            TypeError,
            ValueError,
            OverflowError,
            AttributeError,
            IndexError,
            RecursionError,
        ) as error:
            raise damaged(self.path, error) from error
        if footer.rows != self.num_rows:
            raise damaged(self.path, f"{self.num_rows} rows where its footer lists {footer.rows}")
        return footer

    def check_groups(self, checksums: tuple[str, ...]) -> None:
        """From here on, refuse every row group whose values are not those of its checksum."""
        if len(checksums) != self.file.num_row_groups:
            raise damaged(self.path, f"{len(checksums)} checksums for {self.file.num_row_groups} row groups")
        self._group_sha256 = checksums

    def content_sha256(self) -> str:
        """The checksum of the whole content, with one row group in memory."""
        feature = self.layout.field("feature").type
        rows = self.read_rows(dtype=f"float{feature.value_type.bit_width}", dim=feature.list_size)
        checksum = Checksum(rows)
        for group in range(self.file.num_row_groups):
            checksum.add_features(self.read_group(group, columns=["feature"]))
        return checksum.hexdigest()

    def read_rows(self, *, dtype: str, dim: int) -> ShardRows:
        """All rows without their features; ``dtype`` and ``dim`` are those of the features that go with them."""
        layout = schema(dtype, dim)
        index = pa.schema([layout.field(name) for name in INDEX_COLUMNS])
        try:
            table = self.file.read(columns=list(INDEX_COLUMNS), use_threads=False).cast(index)
            table.validate(full=True)  # names in UTF-8, above all
        except (pa.ArrowException, OSError, IndexError) as error:
            raise refusal(self.path, error) from error
        return ShardRows(table, layout)

    def read_group(self, group: int, columns: list[str] | None = None) -> pa.Table:
        """The rows of one row group, checked where all columns are read."""
        try:
            table = self.file.read_row_group(group, columns=columns, use_threads=False)
            if self._group_sha256 is None or columns is not None:
                return table
            found = group_sha256(table)
        except (pa.ArrowException, OSError, IndexError, TypeError, UnicodeDecodeError) as error:
            raise refusal(self.path, error) from error
        if found != self._group_sha256[group]:
            raise damaged(self.path, f"other values than were written in row group {group}")
        return table

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


def refusal(path: Place, error: Exception) -> InputError:
    """What to say of a shard that could not be read: the system did not let it, or it is damaged."""
    number = error.errno if isinstance(error, OSError) else None
    if number is None or number in SAID_OF_DAMAGE:
        return damaged(path, error)
    return UnreadableShardError(
        f"shard {path} must be readable, got: {os.strerror(number)}. Give yourself the right to read it, or "
        "mend the disk or the connection to it: the shard itself may be whole."
    )


def damaged(path: Place, reason: object) -> InputError:
    return InputError(
        f"shard {path} must be whole, got {reason}. Mend it with `veil repair {path.parent} --from VIDEOS`."
    )


def plain_schema(layout: pa.Schema) -> pa.Schema:
    """The schema without dictionary encoding (a way of reading) and without metadata."""
    fields = [
        field.with_type(field.type.value_type) if pa.types.is_dictionary(field.type) else field
        for field in layout
    ]
    return pa.schema([field.remove_metadata() for field in fields])


def _known_layout(found: pa.Schema, path: Place) -> pa.Schema:
    """The layout of a shard, or an error where the columns are others."""
    plain = plain_schema(found)
    feature = plain.types[-1] if plain.names == [*INDEX_COLUMNS, "feature"] else None
    if (
        feature is not None
        and pa.types.is_fixed_size_list(feature)
        and pa.types.is_floating(feature.value_type)
    ):
        layout = schema(f"float{feature.value_type.bit_width}", feature.list_size)
        if plain.equals(layout):
            return layout
    raise damaged(path, f"the columns {', '.join(map(str, found.names))}")
