"""What adversarial training reads: clips and stills of the training videos, and the tasks built on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from latentveil.errors import InputError
from latentveil.methods.base import WITH_STILLS, TrainingData
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
                f"got {len(self.videos)} such videos. {WITH_STILLS}."
            )

    def epoch(self, batch_size: int, *, seed: int, epoch: int) -> Iterator[Step]:
        """The steps of one epoch, which goes on until every source was passed once; shorter ones start again."""
        sources: list[Callable[[int], Iterator]] = [
            *(_source(task, seed, epoch) for task in self.tasks.values()),
            lambda turn: self._privacy_batches(batch_size, np.random.default_rng((seed, epoch, turn))),
        ]
        for *batches, privacy in _cycle_together(sources):
            yield Step(privacy=privacy, tasks=dict(zip(self.tasks, batches)))

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


def feeds_of(data: TrainingData) -> Callable[[int], Feed]:
    """The feed of each epoch: the same one, or of features that are made anew."""
    if data.fresh is None:
        feed = Feed(data.features, data.tasks)
        return lambda _: feed
    fresh = data.fresh

    def make(epoch: int) -> Feed:
        found = fresh(epoch)
        return Feed(found.features, found.tasks)

    return make


def _cycle_together(sources: Sequence[Callable[[int], Iterator]]) -> Iterator[list]:
    """One item of every source at a time until each has ended once; ``source(turn)`` starts its next turn."""
    running = [source(0) for source in sources]
    turns = [0] * len(sources)
    while True:
        items = []
        for number, source in enumerate(sources):
            item = next(running[number], None)
            if item is None:
                turns[number] += 1
                if all(turns):
                    return
                running[number] = source(turns[number])
                item = next(running[number])
            items.append(item)
        yield items
