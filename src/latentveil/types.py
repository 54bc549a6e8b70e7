"""The plain data that every part passes on: clip features in memory, and a measured value with its interval."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np

from latentveil.arrays import columns_from_arrays
from latentveil.errors import InputError
from latentveil.kinds import KINDS as KINDS
from latentveil.kinds import STATIC as STATIC
from latentveil.kinds import TEMPORAL as TEMPORAL
from latentveil.kinds import UNKNOWN_FRAME as UNKNOWN_FRAME


@dataclass(frozen=True)
class Interval:
    """A measured value with the ends of its 95 % interval."""

    value: float
    low: float
    high: float

    def to_dict(self) -> dict[str, float | None]:
        """For JSON, which knows no NaN: an unknown end is None."""
        found = {"value": self.value, "low": self.low, "high": self.high}
        return {name: value if math.isfinite(value) else None for name, value in found.items()}

    def __str__(self) -> str:
        return f"{self.value:.3f} [{self.low:.3f}, {self.high:.3f}]"


@dataclass(frozen=True)
class EncoderInfo:
    """What made a feature: two features may share a store only if all of this is equal.

    ``mean`` and ``std`` (3,) normalise RGB scaled to [0, 1]; ``pooling`` says in words how one vector came about.
    """

    name: str
    weights_sha256: str
    dim: int
    clip_frames: int
    frame_size: int
    mean: tuple[float, float, float]
    std: tuple[float, float, float]
    pooling: str


@dataclass(frozen=True)
class Sampling:
    """Which clips of a video were encoded: ``clips`` is "all" or a number of evenly spaced ones.

    ``stride_frames`` is how far apart all clips start; None stands for the clip length, so that they neither overlap
    nor leave frames out (a store's manifest has the number). ``static_clips`` is the number of evenly spaced frames
    that were tiled to static clips; ``view`` is "validation" (short side resized, centre crop) or "training" (random
    resized crop and flip, ``num_views`` of each clip, drawn from ``seed``).
    """

    clips: str | int = "all"
    stride_frames: int | None = None
    static_clips: int = 0
    view: str = "validation"
    num_views: int = 1
    seed: int = 0


@dataclass(frozen=True, eq=False)
class FeatureSet:
    """Clip features in memory: one row per clip, one array per column of the store.

    Shapes: ``feature`` (N, D) float32; every other column (N,). ``kind`` is "temporal" (16 consecutive frames)
    or "static" (one frame, tiled). ``clip`` counts the clips of one video, kind and view from 0; ``time`` is that of
    the clip's first frame in seconds, NaN where it is not known; ``view`` is the name of the view.
    """

    video: np.ndarray
    clip: np.ndarray
    start_frame: np.ndarray
    time: np.ndarray
    kind: np.ndarray
    view: np.ndarray
    feature: np.ndarray

    def __post_init__(self) -> None:
        if self.feature.ndim != 2:
            raise InputError(f"feature must be of shape (N, D), got {self.feature.shape}.")
        for column in fields(self):
            length = len(getattr(self, column.name))
            if length != len(self.feature):
                raise InputError(
                    f"{column.name} must have {len(self.feature)} rows like feature, got {length}."
                )

    def __repr__(self) -> str:
        static = int((self.kind == STATIC).sum())
        return (
            f"FeatureSet({len(self.videos)} videos, {len(self) - static} temporal and {static} static clips "
            f"of {self.dim} numbers)"
        )

    @classmethod
    def from_arrays(
        cls,
        features: Mapping[str, Any] | Any,
        *,
        video: Sequence[str] | np.ndarray | None = None,
        kind: str | Sequence[str] | np.ndarray = TEMPORAL,
        stills: Mapping[str, Any] | None = None,
        stride_frames: int = 16,
        fps: float | None = None,
    ) -> FeatureSet:
        """Features from arrays or tensors: {video: (T, D)} or {video: (D,)}, or rows (N, D) with ``video`` names (N,).

        Clips of a video are taken in the order given, ``stride_frames`` apart. ``kind`` is that of all rows, or one for
        each of the N rows; ``stills`` are static clips {video: (K, D)} besides. Without ``video`` each of N rows is a
        video of its own, named by its number from 0. With ``fps`` the times of clips are known.
        """
        columns = columns_from_arrays(
            features, video=video, kind=kind, stills=stills, stride_frames=stride_frames, fps=fps
        )
        return cls(**columns)

    def __len__(self) -> int:
        return len(self.feature)

    @property
    def dim(self) -> int:
        return self.feature.shape[1]

    @property
    def videos(self) -> list[str]:
        """The names of the videos, sorted."""
        return sorted(set(self.video.tolist()))

    def select(self, rows: np.ndarray) -> FeatureSet:
        """The rows of a boolean mask or an index array."""
        return FeatureSet(**{column.name: getattr(self, column.name)[rows] for column in fields(self)})

    def of_kind(self, kind: str) -> FeatureSet:
        if kind not in KINDS:
            raise InputError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        return self.select(self.kind == kind)

    def of_videos(self, videos: Sequence[str]) -> FeatureSet:
        """The rows of some videos; the very same feature set where that is all of them."""
        wanted = np.isin(self.video, np.asarray(list(videos), dtype=object).astype(str))
        return self if wanted.all() else self.select(wanted)

    def with_feature(self, feature: np.ndarray) -> FeatureSet:
        """The same clips with other features (N, D')."""
        return replace(self, feature=feature)

    def sequences(self) -> Iterator[tuple[str, str, str, np.ndarray]]:
        """Yield (video, kind, view, rows) in sorted order; ``rows`` index the clips of it in time order, (T,)."""
        order = np.lexsort((self.clip, self.start_frame, self.view, self.kind, self.video))
        keys = list(zip(self.video[order], self.kind[order], self.view[order]))
        start = 0
        for end in range(1, len(order) + 1):
            if end == len(order) or keys[end] != keys[start]:
                video, kind, view = map(str, keys[start])
                yield video, kind, view, order[start:end]
                start = end


def concatenate(parts: Sequence[FeatureSet]) -> FeatureSet:
    """One feature set with the rows of all ``parts`` in order."""
    if not parts:
        raise InputError("parts must hold at least one feature set, got none.")
    return FeatureSet(
        **{
            column.name: np.concatenate([getattr(part, column.name) for part in parts])
            for column in fields(FeatureSet)
        }
    )


@dataclass(frozen=True)
class ClipTiming:
    """What a store's manifest says about time: the frames of a clip, and the frame rate if all videos share one.

    When each clip starts is told by the features themselves, and so is the rate of a video with several clips.
    """

    clip_frames: int = 16
    fps: float | None = None
