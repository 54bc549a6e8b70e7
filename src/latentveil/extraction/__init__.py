"""From video files to a feature store.

`extract.py` has the verb, `run.py` a run of it; `inputs.py` finds the videos, `shares.py` divides them among runs,
`worker.py` encodes, `pool.py` in several processes. `repair.py` makes damaged shards again, `live_features.py`
encodes anew for each epoch of a training.
"""

from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.extraction.run import ExtractionReport, ExtractOptions, ExtractProgress, run_extraction
from latentveil.extraction.worker import EncoderChoice, Failed

__all__ = [
    "EncoderChoice",
    "ExtractOptions",
    "ExtractProgress",
    "ExtractionReport",
    "Failed",
    "VideoInput",
    "collect_videos",
    "run_extraction",
]
