"""The papers' protocol after training: f_A is fixed, and fresh classifiers are trained on what it makes.

f_T' is a new last layer on I3D; f_B' are image networks that read all secrets of a video from its frames: trained from
scratch on anonymized video, trained on raw video and used as they are, or trained on raw video and then tuned.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from latentveil.bench.pixel_clips import GradedClips
from latentveil.pixels.learning.observers import FrameObserver, build_observer
from latentveil.pixels.networks.base import VIDEO_NETWORKS
from latentveil.tasks.probes import fit_linear_probe


@dataclass(frozen=True)
class ReaderShape:
    """f_B': its network, how long it learns, and how many frames of a clip it sees at a time."""

    network: str = "resnet"
    options: tuple[tuple[str, int], ...] = (("depth", 18), ("width", 12))
    epochs: int = 15
    batch_size: int = 24
    frames: int = 2
    learning_rate: float = 2e-3


@dataclass(frozen=True, eq=False)
class Reader:
    """A trained f_B' for ``secrets``, each with its number of classes."""

    network: nn.Module
    secrets: tuple[str, ...]
    classes: tuple[int, ...]

    def right(self, clips: GradedClips, rows: np.ndarray) -> dict[str, np.ndarray]:
        """For each secret, whether the class that it finds likeliest in each video (N,) is the right one."""
        with torch.no_grad():
            said = self.network.eval()(clips.clips(rows)).split(self.classes, dim=-1)
        return {
            secret: logits.argmax(dim=-1).numpy() == clips.classes(secret)[rows]
            for secret, logits in zip(self.secrets, said)
        }


def train_reader(
    clips: GradedClips, secrets: Sequence[str], shape: ReaderShape, *, seed: int, start: Reader | None = None
) -> Reader:
    """Train on the training videos from scratch, or from ``start`` on; the epoch is chosen on validation videos."""
    truth = torch.as_tensor(np.stack([clips.classes(secret) for secret in secrets]))  # (S, V)
    classes = tuple(int(row.max()) + 1 for row in truth)
    rows, random = clips.rows("train"), np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = deepcopy(start.network) if start is not None else _fresh(shape, sum(classes))
        optimizer = torch.optim.Adam(network.parameters(), lr=shape.learning_rate)
        best, kept = -1.0, network.state_dict()
        for _ in range(shape.epochs):
            network.train()
            for part in np.array_split(random.permutation(rows), max(1, len(rows) // shape.batch_size)):
                seen = _some_frames(clips.clips(part), shape.frames, random)
                said = network(seen).split(classes, dim=-1)
                losses = [cross_entropy(logits, answers) for logits, answers in zip(said, truth[:, part])]
                optimizer.zero_grad()
                torch.stack(losses).mean().backward()
                optimizer.step()
            found = Reader(network, tuple(secrets), classes).right(clips, clips.rows("val"))
            score = float(np.mean([hits.mean() for hits in found.values()]))
            if score > best:
                best, kept = score, deepcopy(network.state_dict())
        network.load_state_dict(kept)
    return Reader(network.eval(), tuple(secrets), classes)


def read_actions(
    clips: GradedClips, features: np.ndarray, *, seed: int, column: str = "action"
) -> np.ndarray:
    """Whether f_T' is right about each test video (N,): a new last layer on features (V, D), chosen on validation."""
    targets = clips.classes(column)
    train, val, test = (clips.rows(split) for split in ("train", "val", "test"))
    probe = fit_linear_probe(features[train], targets[train], features[val], targets[val], seed=seed)
    return probe.logits(features[test]).argmax(axis=1) == targets[test]


def video_features(clips: GradedClips, *, batch_size: int = 16) -> np.ndarray:
    """I3D features (V, 1024) of the clips."""
    trunk = VIDEO_NETWORKS.get("i3d").make({}).eval()
    rows = np.arange(len(clips.pictures))
    with torch.inference_mode():
        parts = [trunk(clips.clips(part)) for part in np.array_split(rows, max(1, len(rows) // batch_size))]
    return torch.cat(parts).numpy()


def _fresh(shape: ReaderShape, out: int) -> FrameObserver:
    network = build_observer(shape.network, dict(shape.options), out=out, hidden=None, clips=False)
    assert isinstance(network, FrameObserver)
    return network


def _some_frames(clips: Tensor, number: int, random: np.random.Generator) -> Tensor:
    """``number`` frames of each clip (B, T, 3, S, S), mirrored for half of the batches."""
    places = random.choice(clips.shape[1], size=min(number, clips.shape[1]), replace=False)
    chosen = clips[:, places]
    return chosen.flip(-1) if random.random() < 0.5 else chosen
