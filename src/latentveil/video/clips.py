"""Which frames make a clip: all consecutive clips, evenly spaced clips, evenly spaced single frames.

Positions for a video of n frames and clips of L frames:

- all clips: 0, stride, 2 stride, ... (the stride is L unless given) as long as L frames remain; what is left over at
  the end is dropped;
- K evenly spaced clips: floor(linspace(0, n - L, K));
- K evenly spaced single frames (static clips): floor(linspace(0, n - 1, K)).

One clip or frame alone is taken from the middle. Positions that coincide in a short video count once, so a video can
give fewer than K. A video shorter than L gives one clip from frame 0, its last frame repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import count

from latentveil.errors import UsageError
from latentveil.seeds import require_seed
from latentveil.types import Sampling

ALL_CLIPS = "all"
VIEWS = ("validation", "training")


def check_sampling(sampling: Sampling) -> None:
    """Refuse a sampling that no extraction can follow."""
    require_seed(sampling.seed)
    clips = sampling.clips
    if clips != ALL_CLIPS and (not isinstance(clips, int) or clips < 0):
        raise UsageError(f"clips must be 'all' or a number from 0, got {clips!r}.")
    if sampling.static_clips < 0:
        raise UsageError(f"static must be at least 0, got {sampling.static_clips}.")
    if clips == 0 and sampling.static_clips == 0:
        raise UsageError("clips and static must not both be 0, got 0 and 0. Ask for some clips.")
    if sampling.stride_frames is not None and sampling.stride_frames < 1:
        raise UsageError(f"stride_frames must be at least 1, got {sampling.stride_frames}.")
    if sampling.view not in VIEWS:
        raise UsageError(f"view must be one of {', '.join(VIEWS)}, got {sampling.view!r}.")
    if sampling.num_views < 1 or (sampling.view == "validation" and sampling.num_views != 1):
        raise UsageError(
            f"views must be 1 in the validation view and at least 1 in the training view, got {sampling.num_views}."
        )


def clip_starts(sampling: Sampling, num_frames: int, *, clip_frames: int) -> Iterator[int]:
    """The first frames of the temporal clips in order; without end for all clips, which the frames themselves end."""
    if sampling.clips == ALL_CLIPS:
        return count(0, sampling.stride_frames or clip_frames)
    return iter(evenly_spaced(max(num_frames - clip_frames, 0), int(sampling.clips)))


def static_frames(sampling: Sampling, num_frames: int) -> list[int]:
    """The numbers of the frames that become static clips."""
    return evenly_spaced(num_frames - 1, sampling.static_clips)


def evenly_spaced(last: int, number: int) -> list[int]:
    """At most ``number`` distinct positions from 0 to ``last``, evenly spaced, rounded down; one alone is central."""
    if number == 1:
        return [last // 2]
    return sorted({index * last // (number - 1) for index in range(number)})


def frames_of_clips(
    starts: Iterable[int], singles: Sequence[int], *, clip_frames: int, num_frames: int
) -> list[int]:
    """The numbers of all frames that the clips from ``starts`` and the frames ``singles`` need, in order."""
    needed = set(singles)
    for start in starts:
        needed.update(range(start, min(start + clip_frames, num_frames)))
    return sorted(needed)
