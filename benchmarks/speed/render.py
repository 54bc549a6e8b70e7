"""How many frames of the embedded data set one core renders per second."""

from __future__ import annotations

import argparse
import json

from benchmarks.speed.measure import core_seconds
from latentveil.actors.rendering.renderer import render
from latentveil.actors.sets.action import action_videos


def frames_per_second(*, size: int, num_videos: int, repeats: int) -> float:
    """The best of some repeats over the same videos, in CPU time, so that a busy machine does not count."""
    videos = action_videos(num_videos, seed=0)
    num_frames = sum(len(render(video, size)) for video in videos)
    return num_frames / min(
        core_seconds(lambda: [render(video, size) for video in videos]) for _ in range(repeats)
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=112, help="height and width in pixels")
    parser.add_argument("--videos", type=int, default=24, help="videos of 32 frames")
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    speed = frames_per_second(size=options.size, num_videos=options.videos, repeats=options.repeats)
    if options.json:
        print(json.dumps({"size": options.size, "frames_per_second_per_core": round(speed, 1)}))
    else:
        print(f"{speed:.0f} frames/s per core at {options.size} px")


if __name__ == "__main__":
    main()
