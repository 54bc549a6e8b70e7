"""Action recognition: a linear head on clip features, one answer per video from five of its clips."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import partial
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from latentveil.labels import Labels
from latentveil.metrics.classification import average_precision, majority_share
from latentveil.metrics.intervals import SHARE, Halves, WeightedStatistic, interval_over_groups, mean_of
from latentveil.sequences import pad_sequences
from latentveil.tasks.base import Task, TaskBatch, TaskScore
from latentveil.tasks.calibrate import calibrate
from latentveil.tasks.probes import fit_linear_probe
from latentveil.tasks.videos import TaskVideos
from latentveil.types import FeatureSet

SCORED_CLIPS = 5  # SPLAVU, section 4.1
CLASS_SEPARATOR = "|"


class ActionTask(Task):
    """Which action a video shows; several classes at once where a label joins them by ``|``.

    ``clips_per_video`` random clips of each video make up an epoch (0: all of them). With ``whole_videos`` they come
    with the other clips of their video, which an adapter sees and the loss does not.
    """

    name: ClassVar[str] = "action"
    metric = "top1"

    def __init__(
        self,
        features: FeatureSet,
        labels: Labels,
        *,
        column: str = "action",
        batch_size: int = 512,
        clips_per_video: int = 1,
        whole_videos: bool = False,
    ) -> None:
        self.videos = TaskVideos(features, labels, column=column)
        self.batch_size = batch_size
        self.clips_per_video = clips_per_video
        self.whole_videos = whole_videos
        answers = [value.split(CLASS_SEPARATOR) for value in self.videos.labels.column(column)]
        self.classes = sorted({name for answer in answers for name in answer})
        self.multi_label = any(len(answer) > 1 for answer in answers)
        if self.multi_label:
            self.metric = "map"

    def on(self, features: FeatureSet) -> ActionTask:
        """The same videos, classes and answers on other features of them, such as anonymized ones."""
        other = copy.copy(self)
        other.videos = TaskVideos(features, self.videos.labels, column=self.videos.column)
        return other

    @property
    def chance(self) -> float:
        """The share of the most frequent class, or the mean share of positives, among the test videos."""
        names = self.videos.labels.videos("test") or self.videos.labels.video.tolist()
        targets = self.targets(names)
        if self.multi_label:
            return float(targets.mean(0)[targets.any(0)].mean())
        return float(majority_share(targets))

    def build_head(self, *, seed: int) -> nn.Linear:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return nn.Linear(self.videos.features.dim, len(self.classes))

    @property
    def num_batches(self) -> int:
        return -(-len(self.videos.names("train")) // self.batch_size)

    def batches(self, *, seed: int) -> Iterator[TaskBatch]:
        random = np.random.default_rng(seed)
        names = random.permutation(np.array(self.videos.names("train"), dtype=object)).tolist()
        for part in np.array_split(np.arange(len(names)), self.num_batches):
            chosen = [names[index] for index in part]
            views, places = zip(*(self._random_clips(name, random) for name in chosen))
            if not self.whole_videos:
                views = tuple(rows[place] for rows, place in zip(views, places))
            features, mask = pad_sequences([self.videos.features.feature[rows] for rows in views])
            asked = _marked(places, mask.shape[1]) if self.whole_videos else None
            target = torch.from_numpy(self.targets(chosen))
            yield TaskBatch(features=features, mask=mask, target=target, asked=asked)

    def loss(self, head: nn.Module, features: Tensor, batch: TaskBatch) -> Tensor:
        """Cross-entropy of every clip asked with its video's class, averaged within a video, then over videos."""
        logits = head(features)  # (B, T, C)
        target = batch.target.to(features.device)
        if self.multi_label:
            wanted = target[:, None].expand_as(logits).to(logits.dtype)
            errors = nn.functional.binary_cross_entropy_with_logits(logits, wanted, reduction="none").mean(-1)
        else:
            wanted = target[:, None].expand(logits.shape[:2])
            errors = nn.functional.cross_entropy(logits.transpose(1, 2), wanted, reduction="none")
        mask = batch.answered.to(features.device)
        return ((errors * mask).sum(1) / mask.sum(1)).mean()

    def examples(self) -> Iterator[tuple[Tensor, int]]:
        """Every training video, each view of it, with its action (of several, the first)."""
        names = self.videos.names("train")
        targets = self.targets(names)
        classes = targets.argmax(axis=1) if self.multi_label else targets
        for name, target in zip(names, classes):
            for rows in self.videos.views(name):
                yield torch.from_numpy(self.videos.features.feature[rows]), int(target)

    def fit_head(self, *, seed: int) -> nn.Linear:
        """A linear probe on five clips of every training video, chosen on the validation videos."""
        parts = [array for split in ("train", "val") for array in self._scored_clips(split)]
        return fit_linear_probe(*parts, seed=seed).to_linear()

    def starting_head(self, *, seed: int) -> nn.Linear:
        """That probe, calibrated: as it is, its loss may be exactly zero, and no gradient reaches the adapter."""
        return calibrate(self.fit_head(seed=seed), self._scored_clips("train"), self._scored_clips("val"))

    def score(self, head: nn.Module, split: str, *, seed: int) -> TaskScore:
        """Top-1 accuracy (mean average precision if multi-label) of probabilities averaged over a video's clips."""
        names = self.videos.names(split)
        targets = self.targets(names)
        probabilities = self.answers(head, names)
        if self.multi_label:
            statistic: WeightedStatistic = partial(_mean_average_precision, targets, probabilities)
            details = {}
        else:
            correct = probabilities.argmax(1) == targets
            statistic = mean_of(correct)
            details = {
                "mean_class": float(np.mean([correct[targets == c].mean() for c in np.unique(targets)]))
            }
        groups = self.videos.groups(names)
        interval = interval_over_groups(statistic, groups, seed=seed, limits=SHARE)
        return TaskScore(self.metric, interval, details, Halves.of(statistic, groups))

    def answers(self, head: nn.Module, videos: list[str]) -> np.ndarray:
        """The class probabilities (V, C) of some videos."""
        return np.stack([self._probabilities(head, video) for video in videos])

    def targets(self, names: list[str]) -> np.ndarray:
        """The class of each video, (V,) int64, or (V, C) of 0 and 1 if multi-label."""
        place = {name: index for index, name in enumerate(self.classes)}
        values = self.videos.values(names)
        if not self.multi_label:
            return np.array([place[value] for value in values])
        targets = np.zeros((len(names), len(self.classes)), dtype=np.int64)
        for row, value in enumerate(values):
            targets[row, [place[name] for name in value.split(CLASS_SEPARATOR)]] = 1
        return targets

    def _random_clips(self, name: str, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """The rows of one random view (T,), and the places of ``clips_per_video`` random clips of it, in time order."""
        views = self.videos.views(name)
        rows = views[random.integers(len(views))]
        if self.clips_per_video == 0 or self.clips_per_video >= len(rows):
            return rows, np.arange(len(rows))
        return rows, np.sort(random.choice(len(rows), self.clips_per_video, replace=False))

    def _scored_rows(self, name: str) -> np.ndarray:
        """The rows of evenly spaced clips of every view."""
        views = self.videos.views(name)
        return np.concatenate(
            [rows[np.linspace(0, len(rows) - 1, SCORED_CLIPS).astype(int)] for rows in views]
        )

    def _scored_clips(self, split: str) -> tuple[np.ndarray, np.ndarray]:
        """The scored clips (N, D) of a split, each distinct one once, and their targets."""
        names = self.videos.names(split)
        rows = [np.unique(self._scored_rows(name)) for name in names]
        features = self.videos.features.feature[np.concatenate(rows)]
        return features, np.repeat(self.targets(names), [len(found) for found in rows], axis=0)

    @torch.no_grad()
    def _probabilities(self, head: nn.Module, name: str) -> np.ndarray:
        """The class probabilities (C,) of a video, averaged over its scored clips."""
        logits = head(torch.from_numpy(self.videos.features.feature[self._scored_rows(name)]))  # (5, C)
        return (logits.sigmoid() if self.multi_label else logits.softmax(-1)).mean(0).numpy()


def _marked(places: tuple[np.ndarray, ...], length: int) -> Tensor:
    """A mask (B, length) that is True at the ``places`` of each video."""
    return torch.stack([torch.from_numpy(np.isin(np.arange(length), found)) for found in places])


def _mean_average_precision(targets: np.ndarray, scores: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean over classes (V, C) of average precision in each resample (R, V); classes it lacks are left out."""
    precisions = np.stack(
        [average_precision(targets[:, c], scores[:, c], weights) for c in range(scores.shape[1])]
    )
    known = np.isfinite(precisions)  # (C, R)
    return np.where(known, precisions, 0).sum(0) / np.maximum(known.sum(0), 1)
