"""The papers' privacy attack: f_A is fixed, and image networks f_B' read all secrets of a video from its frames.

From scratch on anonymized video; trained on raw video and used as they are; or trained on raw video and then tuned.
"""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from latentveil.bench.pixels.clips import GradedClips
from latentveil.pixels.learning.observers import build_observer


@dataclass(frozen=True)
class ReaderShape:
    """f_B', a ResNet of ``depth`` and ``width``: how long it learns, and on how many frames of a clip."""

    depth: int = 18
    width: int = 12
    epochs: int = 40
    batch_size: int = 24
    frames: int = 2
    learning_rate: float = 2e-3

    @property
    def name(self) -> str:
        return f"resnet{self.depth}"


@dataclass(frozen=True, eq=False)
class Reader:
    """A trained f_B' for ``secrets``, each with its number of classes."""

    network: nn.Module
    secrets: tuple[str, ...]
    classes: tuple[int, ...]

    def logits(self, clips: GradedClips, rows: np.ndarray) -> dict[str, np.ndarray]:
        """For each secret, (N, C)."""
        with torch.no_grad():
            said = self.network.eval()(clips.clips(rows)).split(self.classes, dim=-1)
        return {secret: logits.numpy() for secret, logits in zip(self.secrets, said)}

    def mean_right(self, clips: GradedClips, rows: np.ndarray) -> float:
        """The share of right answers about the videos in ``rows``, mean over secrets."""
        said = self.logits(clips, rows)
        right = [said[secret].argmax(axis=1) == clips.classes(secret)[rows] for secret in self.secrets]
        return float(np.mean(right))

    def hits(self, clips: GradedClips) -> dict[str, np.ndarray]:
        """For each secret, whether the answer for each test video (N,) is right."""
        val, test = clips.rows("val"), clips.rows("test")
        seen, said = self.logits(clips, val), self.logits(clips, test)
        return {
            secret: either_way(seen[secret], said[secret], clips.classes(secret), val=val, test=test)
            for secret in self.secrets
        }


def either_way(
    seen: np.ndarray, said: np.ndarray, truth: np.ndarray, *, val: np.ndarray, test: np.ndarray
) -> np.ndarray:
    """Whether an attack is right about each test video (N,): by its likeliest class or, turned round, by its least.

    ``seen`` and ``said`` are its logits (N, C) of validation and test videos; validation chooses the way.
    """
    right, wrong = (answer(seen, axis=1) == truth[val] for answer in (np.argmax, np.argmin))
    answer = np.argmin if wrong.mean() > right.mean() else np.argmax
    return answer(said, axis=1) == truth[test]


def train_reader(
    clips: GradedClips, secrets: Sequence[str], shape: ReaderShape, *, seed: int, start: Reader | None = None
) -> Reader:
    """Train on the training videos, from scratch or from ``start`` on; validation videos choose among the epochs.

    ``start`` itself is among what they choose from: whoever tunes is not worse off there than before.
    """
    truth = torch.as_tensor(np.stack([clips.classes(secret) for secret in secrets]))  # (S, V)
    classes = tuple(int(row.max()) + 1 for row in truth)
    rows, val, random = clips.rows("train"), clips.rows("val"), np.random.default_rng(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        network = deepcopy(start.network) if start is not None else _fresh(shape, sum(classes))
        optimizer = torch.optim.Adam(network.parameters(), lr=shape.learning_rate)
        best = -1.0 if start is None else start.mean_right(clips, val)
        kept = deepcopy(network.state_dict())
        for _ in range(shape.epochs):
            network.train()
            for part in np.array_split(random.permutation(rows), max(1, len(rows) // shape.batch_size)):
                said = network(_some_frames(clips.clips(part), shape.frames, random)).split(classes, dim=-1)
                losses = [cross_entropy(logits, answers) for logits, answers in zip(said, truth[:, part])]
                optimizer.zero_grad()
                torch.stack(losses).mean().backward()
                optimizer.step()
            score = Reader(network, tuple(secrets), classes).mean_right(clips, val)
            if score > best:
                best, kept = score, deepcopy(network.state_dict())
        network.load_state_dict(kept)
    return Reader(network.eval(), tuple(secrets), classes)


def _fresh(shape: ReaderShape, out: int) -> nn.Module:
    options = {"depth": shape.depth, "width": shape.width}
    return build_observer("resnet", options, out=out, hidden=None, clips=False)


def _some_frames(clips: Tensor, number: int, random: np.random.Generator) -> Tensor:
    """``number`` frames of each clip (B, T, 3, S, S), mirrored for half of the batches."""
    places = random.choice(clips.shape[1], size=min(number, clips.shape[1]), replace=False)
    chosen = clips[:, places]
    return chosen.flip(-1) if random.random() < 0.5 else chosen
