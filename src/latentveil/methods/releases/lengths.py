"""Which videos of a release are moved whole and which clip by clip: by their length, where there are enough of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.methods.releases.groups import Groups
from latentveil.methods.releases.quick_attacker import Attempt

WHOLE_VIDEO = 4  # clips: videos of no more are moved as a whole, longer ones clip by clip
# To be fitted by themselves beside others, videos must be so many, and this share of them in groups of a few. On drawn
# people, 240 and 120 short videos of eight scenes kept more of their actions whole, 60 and 30 kept more clip by clip,
# and so did 120 videos of 60 people.
LEAST_VIDEOS = 100
LEAST_SHARE = 0.5


@dataclass(frozen=True)
class Portion:
    """How ``window`` clips are moved together, which is fitted to ``videos``; ``which`` says what they are."""

    window: int
    videos: list[str]
    which: str = ""


def portions_of(
    clips: Mapping[str, int], groupings: Sequence[Groups], *, window: int = 0
) -> tuple[Portion, Portion | None]:
    """The portion that moves all videos, and another one that moves short ones, where they are moved otherwise.

    ``clips`` is the number of clips of each video. Where all are short or all are long, there is one portion, and also
    where a ``window`` is set. Where short ones are too few to be fitted by themselves, everything is moved clip by
    clip. Where long ones are too few, what moves them is fitted to the clips of all.
    """
    videos, longest = list(clips), max(clips.values())
    if window or longest <= WHOLE_VIDEO:
        return Portion(window or longest, videos), None
    short = [video for video in videos if clips[video] <= WHOLE_VIDEO]
    if not _are_enough(short, groupings):
        return Portion(1, videos), None
    long = [video for video in videos if clips[video] > WHOLE_VIDEO]
    others = Portion(1, long, "longer videos") if _are_enough(long, groupings) else Portion(1, videos)
    return others, Portion(max(clips[video] for video in short), short, "short videos")


def _are_enough(videos: Sequence[str], groupings: Sequence[Groups]) -> bool:
    """Whether the videos are many, and most of them in groups on which the quick attacker is tried."""
    if len(videos) < LEAST_VIDEOS:
        return False
    attempts = [Attempt.of(groups.numbers(np.array(videos))) for groups in groupings]
    return all(attempt is not None and attempt.chosen.mean() >= LEAST_SHARE for attempt in attempts)
