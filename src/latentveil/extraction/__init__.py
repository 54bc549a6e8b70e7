"""Extraction: from video files to a feature store."""

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
