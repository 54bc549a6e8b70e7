"""Which videos are read where a store holds more than memory should: a sample, drawn by seed and told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from latentveil.errors import UsageError
from latentveil.store.read import FeatureStore
from latentveil.store.sources import Features

NUMBER_BYTES = 4  # features are float32 in memory
GB = 1 << 30


@dataclass(frozen=True)
class Sample:
    """Which ``videos`` are read ``of`` those of a store: their ``names``, and how many ``clips`` they have."""

    videos: int
    of: int
    clips: int
    seed: int
    names: tuple[str, ...] = field(repr=False)

    def __str__(self) -> str:
        return f"a sample of {self.videos:,} of {self.of:,} videos ({self.clips:,} clips, seed {self.seed})"

    def to_dict(self) -> dict[str, Any]:
        """For records; the names follow from the seed."""
        found = asdict(self)
        del found["names"]
        return found


def draw_videos(source: Features, videos: Sequence[str], *, most_bytes: int, seed: int) -> Sample | None:
    """As many whole ``videos`` as ``most_bytes`` of features hold, drawn without a look at labels; None if all fit.

    Features in memory are never sampled: they are there already.
    """
    room = most_bytes // (NUMBER_BYTES * source.dim)
    if not isinstance(source, FeatureStore) or len(source) <= room:
        return None
    names = sorted(videos)
    order = np.random.default_rng(seed).permutation(len(names))
    clips = np.cumsum([source.num_clips(names[index]) for index in order])  # (V,)
    if not len(names) or clips[-1] <= room:
        return None
    count = max(1, int(np.searchsorted(clips, room, side="right")))
    chosen = tuple(names[index] for index in order[:count])
    return Sample(count, len(names), int(clips[count - 1]), seed, chosen)


def bytes_to_read(read_gb: float | None, usual: int) -> int:
    """How many bytes of features may be read: ``read_gb`` gigabytes if given, else what is ``usual``."""
    require_read_gb(read_gb)
    return usual if read_gb is None else int(read_gb * GB)


def require_read_gb(read_gb: float | None) -> None:
    """Refuse gigabytes to read that are none."""
    if read_gb is not None and not 0 < read_gb < float("inf"):
        raise UsageError(
            f"read_gb must be above 0, got {read_gb}. Give the gigabytes of features to read at most."
        )
