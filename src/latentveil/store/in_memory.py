"""Rows of a shard as a feature set in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa

from latentveil.store.shard import TEXT_COLUMNS, column_values
from latentveil.types import FeatureSet


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
