"""Our default: a codebook of what the named tasks need, or all that moves where other tasks are to come."""

from __future__ import annotations

from latentveil.adapters.adapter import Adapter
from latentveil.config import FitConfig
from latentveil.methods import codebook, motion
from latentveil.methods.base import TrainingData


def fit(data: TrainingData, config: FitConfig, **rest: object) -> Adapter:
    """`codebook`, which hides the most, unless ``data.motion`` asks for `motion`, which keeps unnamed tasks, too."""
    return (motion if data.motion else codebook).fit(data, config, **rest)
