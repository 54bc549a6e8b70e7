"""What adversarial training reads: clips and stills of the training videos, and the tasks built on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from latentveil.errors import InputError
from latentveil.seeds import derive_seed
from latentveil.sequences import pad_sequences
from latentveil.tasks.base import Task, TaskBatch
from latentveil.types import STATIC, TEMPORAL, FeatureSet


@dataclass(frozen=True)
class PrivacyBatch:
    """Some training videos: their clips (B, T, D) with mask (B, T), and two different stills of each, (B, D)."""

    videos: list[str]
    clips: Tensor
    mask: Tensor
    first: Tensor
    second: Tensor


@dataclass(frozen=True)
class Step:
    """The input of one optimisation step: a privacy batch, and one batch of every task."""

    privacy: PrivacyBatch
    tasks: dict[str, TaskBatch]

    def to(self, device: str) -> Step:
        """The same step with its tensors on ``device``."""
        tensors = {
            name: getattr(self.privacy, name).to(device) for name in ("clips", "mask", "first", "second")
        }
        return Step(
            privacy=replace(self.privacy, **tensors),
            tasks={name: batch.to(device) for name, batch in self.tasks.items()},
        )


class Feed:
    """The features of the training videos (temporal and static rows) and the tasks that use them."""

    def __init__(self, features: FeatureSet, tasks: dict[str, Task]) -> None:
        self.tasks = tasks
        self.dim = features.dim
        clips: dict[str, list[np.ndarray]] = {}
        stills: dict[str, list[np.ndarray]] = {}
        for video, kind, _, rows in features.sequences():
            if kind == TEMPORAL:
                clips.setdefault(video, []).append(features.feature[rows])
            if kind == STATIC:
                stills.setdefault(video, []).append(features.feature[rows])
        self.clips = clips  # per video, the sequence (T, D) of each view
        self.stills = {video: np.concatenate(views) for video, views in stills.items()}  # per video (K, D)
        self.videos = sorted(video for video in clips if len(self.stills.get(video, ())) >= 2)
        if len(self.videos) < 2:
            raise InputError(
                "features must hold clips and at least two static clips of at least two training videos, "
                f"got {len(self.videos)} such videos. Extract with --static 10."
            )

    def epoch(self, batch_size: int, *, seed: int, epoch: int) -> Iterator[Step]:
        """The steps of one epoch, which goes on until every source was passed once; shorter ones start again."""
        sources: dict[str, Callable[[int], Iterator]] = {
            name: _source(task, seed, epoch) for name, task in self.tasks.items()
        }
        sources[""] = lambda turn: self._privacy_batches(
            batch_size, np.random.default_rng((seed, epoch, turn))
        )
        for found in _cycle_together(sources):
            privacy = found.pop("")
            yield Step(privacy=privacy, tasks=found)

    def _privacy_batches(self, batch_size: int, random: np.random.Generator) -> Iterator[PrivacyBatch]:
        order = random.permutation(len(self.videos))
        for part in np.array_split(order, max(1, round(len(order) / batch_size))):
            videos = [self.videos[index] for index in part]
            clips, mask = pad_sequences([self._one_view(video, random) for video in videos])
            pairs = [random.choice(self.stills[video], size=2, replace=False) for video in videos]
            first, second = torch.as_tensor(np.stack(pairs, axis=1))  # (B, D) each
            yield PrivacyBatch(videos=videos, clips=clips, mask=mask, first=first, second=second)

    def _one_view(self, video: str, random: np.random.Generator) -> np.ndarray:
        views = self.clips[video]
        return views[random.integers(len(views))]


def _source(task: Task, seed: int, epoch: int) -> Callable[[int], Iterator[TaskBatch]]:
    return lambda turn: task.batches(seed=derive_seed(seed, epoch, turn))


def _cycle_together(sources: dict[str, Callable[[int], Iterator]]) -> Iterator[dict]:
    """One item of every source at a time until each has ended once; ``source(turn)`` starts its next turn."""
    running = {name: source(0) for name, source in sources.items()}
    turns = dict.fromkeys(sources, 0)
    while True:
        items = {}
        for name in sources:
            item = next(running[name], None)
            if item is None:
                turns[name] += 1
                if all(turns.values()):
                    return
                running[name] = sources[name](turns[name])
                item = next(running[name])
            items[name] = item
        yield items
