"""The heads that can be chosen by name for each task, the usual one first."""

from __future__ import annotations

from dataclasses import replace

from latentveil.errors import InputError
from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig, SultaniConfig
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.types import ClipTiming

# The small ones are for some hundred short videos and a CPU; without "small" every number is the published one.
HEADS = {
    "action": ("linear",),
    "detection": ("tridet-small", "tridet"),
    "anomaly": ("mgfn-small", "mgfn", "mgfn-paper", "sultani"),
}


def check_head(task: str, name: str | None) -> str:
    """The name of the head of ``task``: ``name`` if there is such a head, the usual one if None."""
    if name is None:
        return HEADS[task][0]
    if name not in HEADS[task]:
        raise InputError(f"head of {task} must be one of {', '.join(HEADS[task])}, got {name!r}.")
    return name


def detection_head(name: str | None, timing: ClipTiming) -> TriDetConfig:
    """The settings of the detection head called ``name``, for clips of this length and rate."""
    config = TriDetConfig.small() if check_head("detection", name) == "tridet-small" else TriDetConfig()
    config = replace(config, clip_frames=timing.clip_frames)
    return config if timing.fps is None else replace(config, single_clip_fps=timing.fps)


def anomaly_head(name: str | None, timing: ClipTiming) -> MGFNConfig | SultaniConfig:
    """The settings of the anomaly head called ``name``, for clips of this length."""
    configs: dict[str, MGFNConfig | SultaniConfig] = {
        "mgfn-small": MGFNConfig.small(),
        "mgfn": MGFNConfig(),
        "mgfn-paper": MGFNConfig(weights=LossWeights.paper()),
        "sultani": SultaniConfig(),
    }
    return replace(configs[check_head("anomaly", name)], clip_frames=timing.clip_frames)
