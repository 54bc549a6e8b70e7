"""Anomaly detection as a task: trained on labels of whole videos, scored frame by frame."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import torch
from torch import Tensor, nn

from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.metrics.frame_metrics import (
    FrameCounts,
    concatenate_counts,
    count_segment_frames,
    frame_average_precision,
    frame_roc_auc,
)
from latentveil.metrics.intervals import SHARE, Halves, interval_over_groups
from latentveil.seeds import derive_seed
from latentveil.sequences import pad_sequences
from latentveil.tasks.anomaly.config import MGFNConfig, SultaniConfig
from latentveil.tasks.anomaly.mgfn import MGFN
from latentveil.tasks.anomaly.segments import pool_segments
from latentveil.tasks.anomaly.sultani import Sultani
from latentveil.tasks.base import Task, TaskBatch, TaskScore
from latentveil.tasks.videos import TaskVideos
from latentveil.types import FeatureSet

Detector = MGFN | Sultani
SCORED_TOGETHER = 16


@dataclass(frozen=True)
class _Truth:
    """The right answers for some videos: per clip, how many frames are anomalous, or per video, whether it is."""

    names: list[str]
    counts: FrameCounts
    by_frame: bool


class AnomalyTask(Task):
    """Which frames of a video are anomalous, learned from videos that are anomalous somewhere (column 1) or not (0).

    ``segments`` say when, for the videos that are scored; every segment of an anomalous video counts, those of a
    normal video do not. Where validation videos lack segments, the epoch is chosen by telling videos apart.
    """

    name: ClassVar[str] = "anomaly"
    locates: ClassVar[bool] = True
    metric = "auc"

    def __init__(
        self,
        features: FeatureSet,
        labels: Labels,
        segments: dict[str, list[Segment]],
        config: MGFNConfig | SultaniConfig | None = None,
        *,
        column: str = "anomaly",
    ) -> None:
        self.videos = TaskVideos(features, labels, column=column)
        self.segments = segments
        self.config = config or MGFNConfig.small()
        wrong = sorted(set(self.videos.labels.column(column)) - {"0", "1"})
        if wrong:
            raise InputError(f"{column} must be 0 (normal) or 1 (anomalous), got {wrong[0]!r}.")

    @property
    def chance(self) -> float:
        return 0.5

    def build_head(self, *, seed: int) -> Detector:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            if isinstance(self.config, MGFNConfig):
                scale = self._unit_scale() if self.config.standardize else 1.0
                return MGFN(self.videos.features.dim, self.config, scale=scale)
            return Sultani(self.videos.features.dim, self.config)

    def batches(self, *, seed: int) -> Iterator[TaskBatch]:
        """One epoch: as many normal as anomalous videos in each batch, the fewer kind coming round again."""
        random = np.random.default_rng(seed)
        names = self.videos.names("train")
        flags = self._anomalous(names)
        if flags.all() or not flags.any():
            raise InputError("train videos must be of both kinds, normal and anomalous, got only one kind.")
        kinds = [np.array(names)[flags == flag] for flag in (False, True)]
        longest = max(len(kind) for kind in kinds)
        num_batches = -(-longest // (self.config.batch_videos // 2))
        parts = [np.array_split(_shuffled(kind, longest, random), num_batches) for kind in kinds]
        for normal, anomalous in zip(*parts):
            chosen = [*normal.tolist(), *anomalous.tolist()]
            features, mask = pad_sequences([self._training_clips(name, random) for name in chosen])
            yield TaskBatch(features=features, mask=mask, target=torch.from_numpy(self._anomalous(chosen)))

    def loss(self, head: nn.Module, features: Tensor, batch: TaskBatch) -> Tensor:
        """The detector's loss on ``features`` (B, T, D), pooled to segments here so that an adapter sees clips."""
        assert isinstance(head, Detector)
        segments = pool_segments(
            features, batch.mask.to(features.device), num_segments=self.config.num_segments
        )
        return head.loss(segments, batch.target.to(features.device))

    def examples(self) -> Iterator[tuple[Tensor, int]]:
        """Every training video as one stretch, anomalous (1) or normal (0): weak labels say no more."""
        names = self.videos.names("train")
        for name, anomalous in zip(names, self._anomalous(names)):
            for rows in self.videos.views(name):
                yield torch.from_numpy(self.videos.features.feature[rows]), int(anomalous)

    def make_optimizer(self, head: nn.Module, learning_rate: float) -> torch.optim.Optimizer:
        """The detector's own recipe; it does not follow the adapter's ``learning_rate``."""
        kind = torch.optim.AdamW if self.config.decoupled_decay else torch.optim.Adam
        return kind(head.parameters(), lr=self.config.learning_rate, weight_decay=self.config.weight_decay)

    def fit_head(self, *, seed: int) -> Detector:
        """A detector trained on the training videos, as it was after the epoch that did best on validation."""
        head = self.build_head(seed=seed)
        optimizer = self.make_optimizer(head, self.config.learning_rate)
        truth = self._validation_truth()
        best, chosen = (-1.0, -1.0), head.state_dict()
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            for epoch in range(self.config.epochs):
                head.train()
                for batch in self.batches(seed=derive_seed(seed, epoch)):
                    optimizer.zero_grad()
                    self.loss(head, batch.features, batch).backward()
                    optimizer.step()
                quality = self._quality(head, truth)
                if quality > best:
                    best, chosen = quality, copy.deepcopy(head.state_dict())
        head.load_state_dict(chosen)
        return head.eval()

    def score(self, head: nn.Module, split: str, *, seed: int) -> TaskScore:
        """Frame-level ROC AUC over all videos of ``split`` together; ``details`` holds the average precision."""
        names = self.videos.names(split)
        counts = [self._frame_counts(name) for name in names]
        scores = np.concatenate(self.clip_scores(head, names))
        together = concatenate_counts(counts)
        groups = np.repeat(self.videos.groups(names), [len(part) for part in counts])

        def area(weights: np.ndarray) -> np.ndarray:
            return np.asarray(frame_roc_auc(together, scores, weights))

        interval = interval_over_groups(area, groups, seed=seed, limits=SHARE)
        details = {"ap": float(frame_average_precision(together, scores))}
        return TaskScore(self.metric, interval, details, Halves.of(area, groups))

    @torch.no_grad()
    def clip_scores(self, head: nn.Module, names: list[str]) -> list[np.ndarray]:
        """For each video the scores (T,) of its clips at full length, averaged over its stored views."""
        sequences = [(place, rows) for place, name in enumerate(names) for rows in self.videos.views(name)]
        sequences.sort(
            key=lambda item: len(item[1])
        )  # videos of similar length share a batch: little padding
        found: list[list[Tensor]] = [[] for _ in names]
        training = head.training
        head.eval()
        for start in range(0, len(sequences), SCORED_TOGETHER):
            batch = sequences[start : start + SCORED_TOGETHER]
            features, mask = pad_sequences([self.videos.features.feature[rows] for _, rows in batch])
            for (place, rows), scores in zip(batch, head(features, mask)):
                found[place].append(scores[: len(rows)])
        head.train(training)
        return [torch.stack(views).mean(0).double().numpy() for views in found]

    def _validation_truth(self) -> _Truth:
        """The truth for validation videos: of frames if all anomalous ones have segments, else of whole videos."""
        names = self.videos.names("val")
        flags = self._anomalous(names)
        if flags.all() or not flags.any():
            raise InputError("val videos must be of both kinds, normal and anomalous, got only one kind.")
        if all(self.segments.get(name) for name, flag in zip(names, flags) if flag):
            return _Truth(
                names, concatenate_counts([self._frame_counts(name) for name in names]), by_frame=True
            )
        return _Truth(names, FrameCounts(anomalous=flags.astype(int), normal=1 - flags), by_frame=False)

    def _quality(self, head: nn.Module, truth: _Truth) -> tuple[float, float]:
        """(ROC AUC, average precision) of a detector."""
        found = self.clip_scores(head, truth.names)
        if truth.by_frame:
            scores = np.concatenate(found)
        else:
            scores = np.array([np.sort(clips)[-self.config.top_k :].mean() for clips in found])
        return float(frame_roc_auc(truth.counts, scores)), float(
            frame_average_precision(truth.counts, scores)
        )

    def _unit_scale(self) -> float:
        """What the training features must be multiplied by for an average variance of one; 1 where they do not vary."""
        count, total, squares = 0, np.zeros(self.videos.features.dim), 0.0
        for name in self.videos.names("train"):
            for rows in self.videos.views(name):
                clips = self.videos.features.feature[rows].astype(np.float64)  # (T, D)
                count += len(clips)
                total += clips.sum(0)
                squares += np.square(clips).sum()
        variance = (squares / count - np.square(total / count).sum()) / len(total)
        return float(variance**-0.5) if variance > 1e-12 * squares / count else 1.0

    def _anomalous(self, names: list[str]) -> np.ndarray:
        """Which videos are anomalous somewhere, (V,) bool."""
        return self.videos.values(names) == "1"

    def _training_clips(self, name: str, random: np.random.Generator) -> np.ndarray:
        """The clips (T, D) of one random view; of a long video one random clip out of each of equal stretches.

        Where segments are pooled first, they are given instead, (S, D); pooling them again changes nothing.
        """
        views = self.videos.views(name)
        rows = views[random.integers(len(views))]
        if self.config.pool_first:
            clips, mask = pad_sequences([self.videos.features.feature[rows]])
            return pool_segments(clips, mask, num_segments=self.config.num_segments)[0].numpy()
        if len(rows) > self.config.max_clips:
            borders = np.linspace(0, len(rows), self.config.max_clips + 1).astype(int)
            rows = rows[random.integers(borders[:-1], borders[1:])]
        return self.videos.features.feature[rows]

    def _frame_counts(self, name: str) -> FrameCounts:
        """How many frames of each clip of a video are anomalous."""
        features, rows = self.videos.features, self.videos.views(name)[0]
        start_frame = features.start_frame[rows]
        is_anomalous = self._anomalous([name])[0]
        segments = self.segments.get(name, []) if is_anomalous else []
        if is_anomalous and not segments:
            raise InputError(
                f"segments must say when {name!r} is anomalous, got none. Add them or set its label to 0."
            )
        return count_segment_frames(
            segments,
            start_frame,
            frame_rate=_frame_rate(features, rows),
            clip_frames=self.config.clip_frames,
        )


def _shuffled(names: np.ndarray, length: int, random: np.random.Generator) -> np.ndarray:
    """``length`` names: whole shuffled rounds of all of them, the last one cut."""
    rounds = -(-length // len(names))
    return np.concatenate([random.permutation(names) for _ in range(rounds)])[:length]


def _frame_rate(features: FeatureSet, rows: np.ndarray) -> float:
    """Frames per second of one video's clips, or of all videos where its own do not tell; NaN where none do."""
    for candidates in (rows, slice(None)):
        frames, seconds = features.start_frame[candidates], features.time[candidates]
        told = (frames > 0) & (seconds > 0)
        if told.any():
            return float(np.median(frames[told] / seconds[told]))
    return float("nan")
