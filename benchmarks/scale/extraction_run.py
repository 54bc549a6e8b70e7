"""One `veil extract` in a process of its own, which prints what the middle of its work took as JSON.

Run: python -m benchmarks.scale.extraction_run LIST_OF_VIDEOS STORE ENCODER WORKERS

The middle begins when a fifth of the videos is done and ends when four fifths are: all workers have started by then,
and none has run out of videos yet.
"""

from __future__ import annotations

import json
import os
import sys
import time
from dataclasses import dataclass, field
from multiprocessing import active_children
from pathlib import Path

from benchmarks.scale.core_time import machine_seconds, thread_seconds
from benchmarks.scale.encoders import ENCODERS
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.extraction.run import ExtractProgress
from latentveil.extraction.worker import EncoderChoice

FROM_SHARE, TO_SHARE = 0.2, 0.8


@dataclass(frozen=True)
class Moment:
    """How far a run is, and what it has used: seconds of the clock, and core-seconds by what they were spent on.

    Workers encode in their first thread and decode in another. ``parent`` hands out videos and writes shards; a single
    worker is its own parent, and does that in the thread that encodes.
    """

    seconds: float
    clips: int
    encode: float
    decode: float
    parent: float
    machine: float

    @classmethod
    def now(cls, clips: int) -> Moment:
        own, workers = thread_seconds(os.getpid()), active_children()
        of_workers = [thread_seconds(worker.pid) for worker in workers if worker.pid] or [own]
        encode, decode = (sum(parts) for parts in zip(*of_workers))
        return cls(
            time.perf_counter(), clips, encode, decode, sum(own) if workers else 0.0, machine_seconds()
        )


@dataclass
class Watch:
    """Takes the moment of the first clip, and those between which the middle lies, from the progress of a run."""

    first: Moment | None = None
    start: Moment | None = None
    end: Moment | None = None
    began: float = field(default_factory=time.perf_counter)

    def __call__(self, progress: ExtractProgress) -> None:
        share = progress.num_done / progress.num_videos
        if self.first is None:
            self.first = Moment.now(progress.num_encoded)
        if self.start is None and share >= FROM_SHARE:
            self.start = Moment.now(progress.num_encoded)
        if self.end is None and share >= TO_SHARE:
            self.end = Moment.now(progress.num_encoded)

    def middle(self) -> dict[str, float]:
        """What was used between start and end; ``others`` is how many cores other programs had meanwhile."""
        assert self.first is not None
        assert self.start is not None
        assert self.end is not None
        used = {name: getattr(self.end, name) - getattr(self.start, name) for name in vars(self.start)}
        own = used["encode"] + used["decode"] + used["parent"]
        others = max(0.0, used.pop("machine") - own) / used["seconds"]
        return used | {"others": others, "start_seconds": self.first.seconds - self.began}


def main(videos: str, store: str, encoder: str, workers: str) -> None:
    plugin, size, _ = ENCODERS[encoder]
    watch = Watch()
    report = run_extraction(
        [Path(videos)],
        Path(store),
        encoder=EncoderChoice(plugin, size=size),
        options=ExtractOptions(workers=int(workers)),
        on_progress=watch,
    )
    assert not report.failures, report.failures
    print(json.dumps(watch.middle()))


if __name__ == "__main__":
    main(*sys.argv[1:])
