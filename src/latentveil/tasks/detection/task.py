"""Temporal action detection as a task: TriDet on clip features, scored by mAP."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.metrics.detection_map import Detections, score_detections
from latentveil.seeds import derive_seed
from latentveil.sequences import pad_sequences
from latentveil.tasks.base import Task, TaskBatch, TaskScore
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.crop import cut_segments, random_window
from latentveil.tasks.detection.grid import TimeGrid
from latentveil.tasks.detection.inference import Found, detect
from latentveil.tasks.detection.loss import assign, detection_loss
from latentveil.tasks.detection.model import TriDet
from latentveil.tasks.detection.points import DetectionTarget
from latentveil.tasks.detection.train import make_learner, train_detector
from latentveil.tasks.learner import HeadLearner
from latentveil.tasks.videos import TaskVideos
from latentveil.types import FeatureSet

COLUMN = "detection"
DETECT_BATCH = 8


@dataclass(frozen=True, eq=False)
class _Video:
    """One video as TriDet reads it: ``features`` (T, D), ``segments`` (G, 2) on the grid, ``classes`` (G,)."""

    name: str
    features: Tensor
    grid: TimeGrid
    segments: Tensor
    classes: Tensor


class DetectionTask(Task):
    """Find what happens from when to when; the classes are the labels of the training videos' segments.

    Where the labels have a column ``detection``, the videos with 1 there belong to the task; where they have none, all
    do. One of these without an entry in ``segments`` is a video in which nothing happens. Nothing is tuned on any
    video: ``config`` decides everything.
    """

    name: ClassVar[str] = "detection"
    locates: ClassVar[bool] = True
    trains_alone: ClassVar[bool] = True
    metric = "mAP"

    def __init__(
        self,
        features: FeatureSet,
        labels: Labels,
        segments: Mapping[str, Sequence[Segment]],
        *,
        config: TriDetConfig | None = None,
        device: str = "cpu",
    ) -> None:
        self.config = config or TriDetConfig()
        self.device = device
        self.segments = segments
        self.videos = TaskVideos(features, _belonging(labels), column="split")
        names = self.videos.names("train")
        self.classes = sorted({segment.label for name in names for segment in segments.get(name, ())})
        if not self.classes:
            raise InputError("segments must hold at least one segment of a training video, got none.")
        self._train = [self._prepare(name, rows) for name in names for rows in self.videos.views(name)]

    @property
    def chance(self) -> float:
        return 0.0

    @property
    def num_batches(self) -> int:
        """The number of batches of one epoch; videos that fill none are left for the next epoch's order."""
        return max(1, len(self._train) // self.config.batch_size)

    def build_head(self, *, seed: int) -> TriDet:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return TriDet(self.videos.features.dim, len(self.classes), self.config).to(self.device)

    def batches(self, *, seed: int) -> Iterator[TaskBatch]:
        random = np.random.default_rng(seed)
        order = random.permutation(len(self._train))
        size = self.config.batch_size
        for number in range(self.num_batches):
            videos = [self._train[index] for index in order[number * size : (number + 1) * size]]
            yield self._random_batch(videos, random).to(self.device)

    def loss(self, head: nn.Module, features: Tensor, batch: TaskBatch) -> Tensor:
        assert isinstance(head, TriDet)
        outputs = head(features, batch.mask)
        assignment = assign(outputs, batch.target, self.config)
        if head.training:
            head.update_normaliser(assignment.num_positive)
        terms = detection_loss(outputs, assignment, head.normaliser.clone(), self.config)
        return terms["classification"] + terms["regression"]

    def examples(self) -> Iterator[tuple[Tensor, int]]:
        """The clips of every training segment with its class, and what lies between segments as one class more."""
        for video in self._train:
            position = torch.arange(len(video.features))
            busy = torch.zeros(len(position), dtype=torch.bool)
            for (start, end), label in zip(video.segments.tolist(), video.classes.tolist()):
                inside = (position >= start) & (position <= end)
                busy |= inside
                if inside.any():
                    yield video.features[inside], label
            for rows in torch.tensor_split(position, 1 + torch.nonzero(busy.diff())[:, 0]):
                if not busy[rows[0]]:
                    yield video.features[rows], len(self.classes)

    def make_learner(
        self, head: nn.Module, learning_rate: float, *, steps: int, trained: bool
    ) -> HeadLearner:
        """TriDet's own recipe, with its own learning rate, which does not depend on the size of other batches."""
        ended = trained and self.config.resumes_schedule
        return make_learner(head, self.config, steps=steps, first_step=steps if ended else 0)

    def fit_head(self, *, seed: int) -> TriDet:
        """A head trained by TriDet's recipe: the averaged weights after the last epoch, without any selection."""
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return train_detector(
                self.build_head(seed=seed),
                lambda epoch: self.batches(seed=derive_seed(seed, epoch)),
                lambda head, batch: self.loss(head, batch.features, batch),
                steps_per_epoch=self.num_batches,
            )

    def detect(self, head: nn.Module, split: str) -> Detections:
        """What ``head`` finds in the videos of ``split``, in seconds; of several views of a video the first counts."""
        assert isinstance(head, TriDet)
        videos = [self._prepare(name, self.videos.views(name)[0]) for name in self.videos.names(split)]
        parts: list[Detections] = []
        for start in range(0, len(videos), DETECT_BATCH):
            batch = videos[start : start + DETECT_BATCH]
            features, mask = pad_sequences([video.features for video in batch])
            found = detect(head, features.to(self.device), mask.to(self.device))
            parts += [self._in_seconds(video, part) for video, part in zip(batch, found)]
        return Detections(
            *(np.concatenate(columns) for columns in zip(*(vars(part).values() for part in parts)))
        )

    def score(self, head: nn.Module, split: str, *, seed: int) -> TaskScore:
        names = self.videos.names(split)
        result = score_detections(
            self.detect(head, split),
            {name: self.segments.get(name, ()) for name in names},
            groups=self.videos.groups(names),
            seed=seed,
            thresholds=self.config.thresholds,
        )
        details = {f"mAP@{threshold:g}": value for threshold, value in result.by_threshold.items()}
        return TaskScore(self.metric, result.interval, details, result.halves)

    def _prepare(self, name: str, rows: np.ndarray) -> _Video:
        clips = self.videos.features.select(rows)
        grid = TimeGrid.build(
            clips.start_frame,
            clips.time,
            clip_frames=self.config.clip_frames,
            single_clip_fps=self.config.single_clip_fps,
        )
        known = [segment for segment in self.segments.get(name, ()) if segment.label in self.classes]
        seconds = np.array([(s.start_seconds, s.end_seconds) for s in known]).reshape(-1, 2)
        return _Video(
            name=name,
            features=torch.as_tensor(clips.feature, dtype=torch.float32),
            grid=grid,
            segments=torch.as_tensor(grid.to_grid(seconds), dtype=torch.float32),
            classes=torch.tensor([self.classes.index(segment.label) for segment in known], dtype=torch.long),
        )

    def _random_batch(self, videos: Sequence[_Video], random: np.random.Generator) -> TaskBatch:
        """The videos, each cut at random."""
        features, segments, classes = [], [], []
        for video in videos:
            window = random_window(len(video.features), video.segments, self.config, random)
            kept, index = cut_segments(video.segments, window, self.config)
            features.append(video.features[slice(*window)])
            segments.append(kept)
            classes.append(video.classes[index])
        padded, mask = pad_sequences(features)
        return TaskBatch(padded, mask, DetectionTarget(segments, classes))

    def _in_seconds(self, video: _Video, found: Found) -> Detections:
        seconds = video.grid.to_seconds(found.segments)  # (K, 2)
        kept = seconds[:, 1] > seconds[:, 0]
        return Detections(
            video=np.full(kept.sum(), video.name),
            label=np.array(self.classes)[found.classes[kept]],
            score=found.scores[kept],
            start_seconds=seconds[kept, 0],
            end_seconds=seconds[kept, 1],
        )


def _belonging(labels: Labels) -> Labels:
    """The rows of the videos to detect in: those with a 1 in the column ``detection`` if there is one, else all."""
    if COLUMN not in labels.columns:
        return labels
    values = labels.column(COLUMN)
    wrong = sorted(set(values.tolist()) - {"", "0", "1"})
    if wrong:
        raise InputError(f"{COLUMN} must be 1 (belongs to the task), 0 or blank, got {wrong[0]!r}.")
    return labels.only(labels.video[values == "1"])
