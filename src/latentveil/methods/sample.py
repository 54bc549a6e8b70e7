"""Which videos a closed form reads where a store holds more than memory should: a sample, drawn by seed and told."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np

from latentveil.errors import Notice
from latentveil.labels import Labels
from latentveil.store import FeatureStore
from latentveil.store.sources import Features

# Moments and cluster centres of some thousand numbers no longer change with more features than this holds as float32;
# a fit takes some ten times as much memory.
MOST_BYTES = 200 << 20
NUMBER_BYTES = 4


def sample_videos(source: Features, labels: Labels, *, seed: int) -> tuple[Labels, dict[str, Any] | None]:
    """The labels of as many training and validation videos as may be read at once, and what to tell of the choice.

    None is told where all are read. Videos are drawn whole and without a look at their labels.
    """
    videos = sorted([*labels.videos("train"), *labels.videos("val")])
    room = MOST_BYTES // (NUMBER_BYTES * source.dim)
    if not isinstance(source, FeatureStore) or len(source) <= room:
        return labels, None
    order = np.random.default_rng(seed).permutation(len(videos))
    clips = np.cumsum([source.num_clips(videos[index]) for index in order])  # (V,)
    if clips[-1] <= room:
        return labels, None
    count = max(1, int(np.searchsorted(clips, room, side="right")))
    told = {"videos": count, "of": len(videos), "clips": int(clips[count - 1]), "seed": seed}
    warnings.warn(
        f"Fitted on a sample of {count:,} of {len(videos):,} videos ({told['clips']:,} clips, seed {seed}), which is "
        "what a closed form can use.",
        Notice,
        stacklevel=3,
    )
    return labels.only([videos[index] for index in order[:count]]), told
