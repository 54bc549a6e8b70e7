"""The papers' utility: f_A is fixed, and a fresh action classifier f_T' is trained on what it makes.

`i3d` is a new last layer on I3D with its Kinetics weights; the other networks learn from nothing.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from latentveil.bench.pixels.clips import GradedClips
from latentveil.labels import Labels
from latentveil.pixels.networks.base import VIDEO_NETWORKS
from latentveil.tasks.probes import fit_linear_probe

I3D = "i3d"
CLIPS_AT_ONCE = 16
EPOCHS, BATCH_SIZE, LEARNING_RATE = 10, 24, 2e-3


def video_features(pictures: np.ndarray) -> np.ndarray:
    """I3D features (V, 1024) of clips (V, T, S, S, 3) uint8."""
    trunk = VIDEO_NETWORKS.get(I3D).make({}).eval()
    clips = GradedClips(pictures, Labels(np.arange(len(pictures)).astype(str), np.full(len(pictures), "")))
    parts = np.array_split(np.arange(len(pictures)), max(1, len(pictures) // CLIPS_AT_ONCE))
    with torch.inference_mode():
        return torch.cat([trunk(clips.clips(part)) for part in parts]).numpy()


def probe_logits(
    features: np.ndarray, targets: np.ndarray, labels: Labels, *, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """The logits of validation and of test videos by a linear probe on features (V, D), chosen on validation."""
    train, val, test = (np.flatnonzero(labels.split == split) for split in ("train", "val", "test"))
    probe = fit_linear_probe(features[train], targets[train], features[val], targets[val], seed=seed)
    return probe.logits(features[val]), probe.logits(features[test])


def small_options(clips: GradedClips) -> dict[str, dict[str, Any]]:
    """The networks that learn from nothing, small enough for a few hundred clips."""
    num_frames, size = clips.pictures.shape[1:3]
    return {
        "r3d": {"width": 8},
        "vit": {
            "frames": num_frames,
            "size": size,
            "patch": size // 8,
            "width": 48,
            "depth": 3,
            "heads": 3,
        },
    }


def network_hits(network: str, clips: GradedClips, *, seed: int) -> np.ndarray:
    """Whether an f_T' of that network is right about each test video (N,); validation chooses the epoch."""
    targets = torch.as_tensor(clips.classes("action"))
    train, val, test = (clips.rows(split) for split in ("train", "val", "test"))
    random, best = np.random.default_rng(seed), -1.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        trunk = VIDEO_NETWORKS.get(network).make(small_options(clips)[network])
        dim: int = trunk.dim  # type: ignore[assignment]
        classifier = nn.Sequential(trunk, nn.Linear(dim, int(targets.max()) + 1))
        optimizer = torch.optim.Adam(classifier.parameters(), lr=LEARNING_RATE)
        kept = classifier.state_dict()
        for _ in range(EPOCHS):
            classifier.train()
            for part in np.array_split(random.permutation(train), max(1, len(train) // BATCH_SIZE)):
                loss = cross_entropy(classifier(clips.clips(part)), targets[part])
                optimizer.zero_grad()
                loss.backward()
                optimizer.step()
            score = float(_right(classifier, clips, targets, val).mean())
            if score > best:
                best, kept = score, deepcopy(classifier.state_dict())
        classifier.load_state_dict(kept)
    return _right(classifier, clips, targets, test)


def _right(classifier: nn.Module, clips: GradedClips, targets: Tensor, rows: np.ndarray) -> np.ndarray:
    with torch.no_grad():
        return (classifier.eval()(clips.clips(rows)).argmax(dim=1) == targets[rows]).numpy()
