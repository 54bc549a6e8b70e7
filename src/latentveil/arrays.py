"""Plain arrays as clip features: every column that the caller did not give is filled in, every mistake named."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from latentveil.errors import InputError, UsageError
from latentveil.kinds import KINDS, STATIC, TEMPORAL, UNKNOWN_FRAME

IN_MEMORY = "memory"  # the view of features that came as arrays


def columns_from_arrays(
    features: Mapping[str, Any] | Any,
    *,
    video: Sequence[str] | np.ndarray | None,
    kind: str | Sequence[str] | np.ndarray,
    stills: Mapping[str, Any] | None,
    stride_frames: int,
    fps: float | None,
) -> dict[str, np.ndarray]:
    """The columns of a feature set, as ``FeatureSet.from_arrays`` promises."""
    if stride_frames < 1:
        raise UsageError(f"stride_frames must be at least 1, got {stride_frames}.")
    if fps is not None and not 0 < fps < float("inf"):
        raise UsageError(f"fps must be positive, got {fps}.")
    rows, names = (
        _rows_of_mapping(features, video) if isinstance(features, Mapping) else _rows(features, video)
    )
    kinds = np.full(len(rows), kind) if isinstance(kind, str) else np.asarray(kind).astype(str)
    if kinds.shape != (len(rows),):
        raise InputError(
            f"kind must be one word or ({len(rows)},) of them, one per row, got shape {kinds.shape}."
        )
    if stills is not None:
        still_rows, still_names = _rows_of_mapping(stills, None)
        if still_rows.shape[1] != rows.shape[1]:
            raise InputError(
                f"stills must have {rows.shape[1]} dimensions like features, got {still_rows.shape[1]}."
            )
        rows, names = np.concatenate([rows, still_rows]), np.concatenate([names, still_names])
        kinds = np.concatenate([kinds, np.full(len(still_rows), STATIC)])
    wrong = sorted(set(kinds.tolist()) - set(KINDS))
    if wrong:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {wrong[0]!r}.")
    _, owner = np.unique(np.char.add(np.char.add(kinds, " "), names), return_inverse=True)
    clip = number_in_group(owner)
    # A list of stills does not say which frames they show.
    start_frame = np.where(kinds == TEMPORAL, clip * stride_frames, UNKNOWN_FRAME)
    known = (start_frame != UNKNOWN_FRAME) & (fps is not None)
    return {
        "video": names,
        "clip": clip,
        "start_frame": start_frame,
        "time": np.where(known, start_frame / (fps or 1.0), np.nan),
        "kind": kinds,
        "view": np.full(len(rows), IN_MEMORY),
        "feature": rows,
    }


def _rows_of_mapping(features: Mapping[str, Any], video: object) -> tuple[np.ndarray, np.ndarray]:
    """Rows (N, D) and the video (N,) of each, from {video: (T, D)}."""
    if video is not None:
        raise InputError(
            "video must be left out where features are {video: (T, D)}, got names. Drop one of the two."
        )
    if not features:
        raise InputError("features must hold at least one video, got none.")
    parts = {
        str(name): _numbers(np.atleast_2d(_array(part)), what=f"features of {name!r}")
        for name, part in features.items()
    }
    if len(parts) < len(features):
        raise InputError("videos must have different names as text, got some twice, as 1 and '1'.")
    dims = {part.shape[1] for part in parts.values()}
    if len(dims) > 1:
        raise InputError(f"features must have one dimension in every video, got {sorted(dims)}.")
    names = np.repeat(np.array(list(parts)), [len(part) for part in parts.values()])
    return np.concatenate(list(parts.values())), names


def _rows(features: Any, video: Sequence[str] | np.ndarray | None) -> tuple[np.ndarray, np.ndarray]:
    """Rows (N, D) and the video (N,) of each; (N, T, D) are N videos of T clips."""
    rows = _array(features)
    if rows.ndim == 3:
        names = np.arange(len(rows)).astype(str) if video is None else np.asarray(video).astype(str)
        if names.shape != (len(rows),):
            raise InputError(f"video must be ({len(rows)},), one name per video, got shape {names.shape}.")
        names, rows = np.repeat(names, rows.shape[1]), rows.reshape(-1, rows.shape[2])
    else:
        names = np.arange(len(rows)).astype(str) if video is None else np.asarray(video).astype(str)
    rows = _numbers(rows, what="features")
    if names.shape != (len(rows),):
        raise InputError(f"video must be ({len(rows)},), one name per row, got shape {names.shape}.")
    return rows, names


def _array(values: Any) -> np.ndarray:
    """An array of what numpy understands, tensors included."""
    if hasattr(values, "detach"):
        values = values.detach().cpu()
    try:
        return np.asarray(values)
    except (ValueError, TypeError) as error:
        raise InputError(
            f"features must be an array of numbers, got {type(values).__name__}: {error}."
        ) from error


def _numbers(rows: np.ndarray, *, what: str) -> np.ndarray:
    """The rows as float32 (N, D), or an error."""
    if rows.ndim != 2 or rows.size == 0 or rows.dtype.kind not in "fiu":
        raise InputError(
            f"{what} must be numbers of shape (T, D), got {rows.dtype} of shape {rows.shape}. "
            "Give {video: (T, D)}, or rows (N, D) with video names."
        )
    with np.errstate(over="ignore"):
        rows = rows.astype(np.float32)
    if not np.isfinite(rows).all():
        raise InputError(f"{what} must be finite in float32, got NaN or infinity.")
    return rows


def number_in_group(group: np.ndarray) -> np.ndarray:
    """How many items of the same ``group`` (N,) come before each item, (N,)."""
    order = np.argsort(group, kind="stable")
    _, starts, counts = np.unique(group[order], return_index=True, return_counts=True)
    number = np.empty(len(group), dtype=np.int64)
    number[order] = np.arange(len(group)) - np.repeat(starts, counts)
    return number
