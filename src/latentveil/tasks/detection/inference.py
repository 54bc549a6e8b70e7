"""From a trained detector and the features of some videos to the segments it finds in them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.decode import Candidates, find_candidates
from latentveil.tasks.detection.model import TriDet
from latentveil.tasks.detection.nms import soft_nms, vote


@dataclass(frozen=True, eq=False)
class Found:
    """The segments of one video, best first: ``segments`` (K, 2) on the grid, ``scores`` and ``classes`` (K,)."""

    segments: np.ndarray
    scores: np.ndarray
    classes: np.ndarray


@torch.no_grad()
def detect(head: TriDet, features: Tensor, mask: Tensor) -> list[Found]:
    """What ``head`` finds in each video of ``features`` (B, T, D) with ``mask`` (B, T)."""
    training = head.training
    outputs = head.eval()(features, mask)
    head.train(training)
    return [suppress(candidates, head.config) for candidates in find_candidates(outputs, head.config)]


def suppress(candidates: Candidates, config: TriDetConfig) -> Found:
    """Soft-NMS of one video's candidates, per class, or over all classes with voting on the boundaries."""
    segments = candidates.segments.double().cpu().numpy()
    scores = candidates.scores.double().cpu().numpy()
    classes = candidates.classes.cpu().numpy()
    kept = soft_nms(
        segments,
        scores,
        classes=classes if config.per_class_nms else None,
        sigma=config.nms_sigma,
        min_score=config.nms_min_score,
        max_segments=config.max_segments,
    )
    chosen = segments[kept.index]
    if config.voting_iou is not None and not config.per_class_nms:
        chosen = vote(segments, scores, chosen, min_iou=config.voting_iou)
    return Found(segments=chosen, scores=kept.scores, classes=classes[kept.index])
