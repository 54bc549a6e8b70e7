"""Extraction: from video files to a feature store."""

from latentveil.extract.inputs import VideoInput, collect_videos
from latentveil.extract.run import ExtractionReport, ExtractOptions, ExtractProgress, extract
from latentveil.extract.worker import EncoderChoice, Failed

__all__ = [
    "EncoderChoice",
    "ExtractOptions",
    "ExtractProgress",
    "ExtractionReport",
    "Failed",
    "VideoInput",
    "collect_videos",
    "extract",
]
