"""What adversarial training reads: clips and stills of the training videos, and the tasks built on them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from torch import Tensor

from latentveil.errors import InputError
from latentveil.methods.base import TrainingData, with_stills
from latentveil.notices import notify
from latentveil.seeds import derive_seed
from latentveil.sequences import pad_sequences
from latentveil.tasks.base import Task, TaskBatch
from latentveil.types import STATIC, TEMPORAL, UNKNOWN_FRAME, FeatureSet


@dataclass(frozen=True)
class PrivacyBatch:
    """Some training videos: their clips (B, T, D) with mask (B, T), and stills of two frames of each, (B, D)."""

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


@dataclass(frozen=True, eq=False)
class Stills:
    """The static clips of one video: ``feature`` (K, D), and which ``frame`` (K,) each shows, in some view."""

    feature: np.ndarray
    frame: np.ndarray

    def draw_pair(self, random: np.random.Generator) -> np.ndarray:
        """Stills (2, D) of two different frames, each in a random view."""
        frames = random.choice(np.unique(self.frame), size=2, replace=False)
        return np.stack(
            [self.feature[random.choice(np.flatnonzero(self.frame == frame))] for frame in frames]
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
                clips.setdefault(video, []).append(_rows_of(features.feature, rows))
            if kind == STATIC:
                stills.setdefault(video, []).append(rows)
        self.clips = clips  # per video, the sequence (T, D) of each view
        self.stills = {video: _stills(features, np.concatenate(views)) for video, views in stills.items()}
        frames = {video: len(np.unique(found.frame)) for video, found in self.stills.items()}
        self.videos = sorted(video for video in clips if frames.get(video, 0) >= 2)
        single = sorted(video for video in clips if frames.get(video) == 1)
        if len(self.videos) < 2:
            raise InputError(
                "features must hold clips and stills of at least two frames of at least two training videos, "
                f"got {len(self.videos)} such videos{_named(single)}. {with_stills()}."
            )
        if single:
            notify(
                f"The budget compares two stills of a video: it leaves out {len(single)} of "
                f"{len(single) + len(self.videos)} videos{_named(single)}."
            )

    def num_steps(self, batch_size: int, *, ends: str = "longest") -> int:
        """The number of steps of one epoch."""
        own = sum(1 for _ in self._parts(batch_size, np.arange(len(self.videos))))
        numbers = [own, *(task.num_batches for task in self.tasks.values())]
        return max(numbers) if ends == "longest" else min(numbers)

    def epoch(self, batch_size: int, *, seed: int, epoch: int, ends: str = "longest") -> Iterator[Step]:
        """The steps of one epoch.

        It ends with the "longest" source, and shorter ones start again until every source was passed once; or with the
        "shortest", as in the public code.
        """
        sources: list[Callable[[int], Iterator]] = [
            *(_source(task, seed, epoch) for task in self.tasks.values()),
            lambda turn: self._privacy_batches(batch_size, np.random.default_rng((seed, epoch, turn))),
        ]
        together = _cycle_together(sources) if ends == "longest" else zip(*(source(0) for source in sources))
        for *batches, privacy in together:
            yield Step(privacy=privacy, tasks=dict(zip(self.tasks, batches)))

    def _privacy_batches(self, batch_size: int, random: np.random.Generator) -> Iterator[PrivacyBatch]:
        for part in self._parts(batch_size, random.permutation(len(self.videos))):
            videos = [self.videos[index] for index in part]
            clips, mask = pad_sequences([self._one_view(video, random) for video in videos])
            pairs = [self.stills[video].draw_pair(random) for video in videos]
            first, second = torch.as_tensor(np.stack(pairs, axis=1))  # (B, D) each
            yield PrivacyBatch(videos=videos, clips=clips, mask=mask, first=first, second=second)

    @staticmethod
    def _parts(batch_size: int, order: np.ndarray) -> Iterator[np.ndarray]:
        """Equal parts of ``batch_size`` videos at most; one that is left over alone has nobody to be compared with."""
        for part in np.array_split(order, -(-len(order) // batch_size)):
            if len(part) >= 2:
                yield part

    def _one_view(self, video: str, random: np.random.Generator) -> np.ndarray:
        views = self.clips[video]
        return views[random.integers(len(views))]


def _rows_of(feature: np.ndarray, rows: np.ndarray) -> np.ndarray:
    """``feature[rows]``, (T, D); no copy of rows that lie side by side, as those of a store do."""
    side_by_side = len(rows) > 0 and np.array_equal(rows, np.arange(rows[0], rows[0] + len(rows)))
    return feature[rows[0] : rows[-1] + 1] if side_by_side else feature[rows]


def _stills(features: FeatureSet, rows: np.ndarray) -> Stills:
    """The stills of ``rows``; where nobody recorded the frames, the clip's number tells them apart."""
    start, clip = features.start_frame[rows], features.clip[rows]
    return Stills(features.feature[rows], clip if (start == UNKNOWN_FRAME).any() else start)


def _named(single: list[str]) -> str:
    """Which videos have one still only, for a message."""
    if not single:
        return ""
    more = "" if len(single) == 1 else f" and {len(single) - 1} more"
    return f" ({single[0]!r}{more} with stills of one frame only)"


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
