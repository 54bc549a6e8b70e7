"""One `veil extract` in a process of its own, which prints what it took as JSON.

Run: python -m benchmarks.scale.extraction_run VIDEOS STORE ENCODER WORKERS COUNT
"""

from __future__ import annotations

import json
import resource
import sys
import time
from pathlib import Path

from benchmarks.scale.encoders import ENCODERS
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.extraction.inputs import collect_videos
from latentveil.extraction.worker import EncoderChoice


def main(videos: str, store: str, encoder: str, workers: str, count: str) -> None:
    plugin, size, _ = ENCODERS[encoder]
    chosen = [video.path for video in collect_videos([Path(videos)])[: int(count)]]
    began = time.perf_counter()
    report = run_extraction(
        chosen,
        Path(store),
        encoder=EncoderChoice(plugin, size=size),
        options=ExtractOptions(workers=int(workers)),
    )
    seconds = time.perf_counter() - began
    own, others = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    found = {
        "seconds": seconds,
        "clips": report.num_clips,
        "parent_core_seconds": own.ru_utime + own.ru_stime,
        "worker_core_seconds": others.ru_utime + others.ru_stime,
    }
    print(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
