"""What training reads: batches of clips with their action, and pairs of views of videos for the privacy branch."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
import torch
from torch import Tensor

from latentveil.arguments import argument
from latentveil.config import USUAL_TASK
from latentveil.errors import InputError, UsageError
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import as_clip
from latentveil.pixels.base import TrainingVideos
from latentveil.pixels.learning.frames import FrameCache
from latentveil.pixels.learning.settings import ClipSection, LearnSection
from latentveil.pixels.learning.views import random_crop, random_view


@dataclass(frozen=True)
class Step:
    """The input of one update. All clips are (B, T, 3, S, S) in [0, 1].

    ``clips`` with their ``actions`` (B,) are for f_T; ``same_time`` are other views of the same frames and
    ``other_time`` other clips of the same videos, where these are asked for. ``first`` and ``second`` are two views of
    other videos for f_B: single frames (T = 1) or clips; ``secrets`` (B, S) are the classes of these videos' secrets.
    """

    clips: Tensor
    actions: Tensor
    first: Tensor
    second: Tensor
    secrets: Tensor
    same_time: Tensor | None = None
    other_time: Tensor | None = None

    def to(self, device: str) -> Step:
        """The same step on ``device``."""
        moved = {name: value.to(device) for name, value in vars(self).items() if value is not None}
        return Step(**moved)


@dataclass(frozen=True)
class Pairs:
    """How the two views of a video for f_B are taken: their distance in frames, and whether they are whole clips."""

    min_distance: int = 1
    max_distance: int | None = None
    clips: bool = False


@dataclass(frozen=True)
class Feed:
    """The training videos, cut into steps. ``secrets`` and their class numbers are there for an oracle alone."""

    cache: FrameCache
    settings: ClipSection
    actions: dict[str, int]
    num_actions: int
    secrets: dict[str, list[int]]
    secret_classes: list[int]
    pairs: Pairs = field(default_factory=Pairs)
    moments: bool = False  # whether a step has ``same_time`` and ``other_time``

    @property
    def videos(self) -> list[str]:
        return sorted(self.actions)

    def num_steps(self, settings: LearnSection) -> int:
        """How many steps an epoch has."""
        return len(_parts(np.array(self.videos), settings.batch_size))

    def epoch(self, settings: LearnSection, *, part: int, epoch: int) -> Iterator[Step]:
        """The steps of one pass over the videos, in an order of this epoch's and part's own; those for f_B are drawn.

        ``part`` tells the parts of a training from each other: reconstruction, start, the game, starts again.
        """
        random = np.random.default_rng((settings.seed, part, epoch))
        for some in _parts(random.permutation(self.videos), settings.batch_size):
            number = min(settings.privacy_batch_size, len(self.videos))
            private = random.choice(self.videos, size=number, replace=False)
            yield self._step(list(some), list(private), random).to(settings.device)

    def _step(self, videos: list[str], private: list[str], random: np.random.Generator) -> Step:
        cut = [self._moments(video, random) for video in videos]
        pairs = [self._pair(video, random) for video in private]
        first, second = (torch.stack([pair[side] for pair in pairs]) for side in (0, 1))
        moments = [torch.stack(clips) for clips in zip(*cut)]  # (B, T, 3, S, S) each
        return Step(
            clips=moments[0],
            actions=torch.tensor([self.actions[video] for video in videos]),
            first=first,
            second=second,
            secrets=torch.tensor([self.secrets.get(video, []) for video in private], dtype=torch.long),
            same_time=moments[1] if self.moments else None,
            other_time=moments[2] if self.moments else None,
        )

    def _moments(self, video: str, random: np.random.Generator) -> list[Tensor]:
        """A view of a clip; with ``moments`` also another view of the same frames, and one of another clip."""
        start = self._start(video, random)
        clip = self._clip(video, start)
        if not self.moments:
            return [random_view(clip, self.settings, random)]
        other = self._clip(video, self._start(video, random, but=start))
        return [random_view(part, self.settings, random) for part in (clip, clip, other)]

    def _clip(self, video: str, start: int) -> Tensor:
        """Frames ``skip`` apart from ``start`` on, (T, 3, S, S); the last frame again where the video ends."""
        places = self.places(start, self.cache.num_frames(video))
        return as_clip(self.cache.frames_at(video, places))

    def _start(self, video: str, random: np.random.Generator, *, but: int | None = None) -> int:
        """The first frame of a clip, another than ``but`` where the video is long enough for two clips."""
        length = (self.settings.frames - 1) * self.settings.skip + 1
        last = max(self.cache.num_frames(video) - length, 0)
        if but is None or last == 0:
            return int(random.integers(last + 1))
        drawn = int(random.integers(last))
        return drawn + (drawn >= but)

    def places(self, start: int, num_frames: int) -> np.ndarray:
        """The numbers (T,) of the frames of the clip that begins at ``start``."""
        places = start + self.settings.skip * np.arange(self.settings.frames)
        return np.minimum(places, num_frames - 1)

    def _pair(self, video: str, random: np.random.Generator) -> tuple[Tensor, Tensor]:
        """Two views for f_B: of two frames as far apart as ``pairs`` says, or of two clips."""
        if self.pairs.clips:
            views = [self._clip(video, self._start(video, random)) for _ in range(2)]
        else:
            pair = np.array(self.frame_pair(self.cache.num_frames(video), random))
            views = [as_clip(frame[None]) for frame in self.cache.frames_at(video, pair)]
        crop = random_crop(views[0].shape[-1], self.settings.pair_crop, random)
        first, second = (random_view(view, self.settings, random, crop=crop) for view in views)
        return first, second

    def frame_pair(self, num_frames: int, random: np.random.Generator) -> tuple[int, int]:
        """Two frames whose distance the settings allow, in random order; the widest there is in a short video."""
        last = num_frames - 1
        smallest = min(self.pairs.min_distance, last)
        largest = last if self.pairs.max_distance is None else min(self.pairs.max_distance, last)
        distance = int(random.integers(smallest, max(smallest, largest) + 1))
        start = int(random.integers(last - distance + 1))
        pair = (start, start + distance)
        return pair if random.random() < 0.5 else pair[::-1]


def make_feed(
    videos: TrainingVideos, clips: ClipSection, *, pairs: Pairs, moments: bool = False, secrets: bool = False
) -> Feed:
    """The training videos with their actions, and with their secrets for a method that reads them.

    Videos for which one of these is blank are left out.
    """
    if set(videos.tasks) != {USUAL_TASK}:
        raise UsageError(
            f"tasks must be {USUAL_TASK} for this method, whose f_T tells actions apart, got "
            f"{', '.join(videos.tasks) or 'none'}. Leave them out."
        )
    labels = videos.labels
    if labels is None:
        raise UsageError(
            "labels must be given with a column 'action', got none. "
            f"Add {argument('labels', 'labels.csv')}: f_T learns from it."
        )
    if secrets and not labels.secrets:
        raise InputError(
            "labels must have a column of a secret for this method, got none, such as secret_gender."
        )
    read = ["action", *(labels.secrets if secrets else ())]
    blank = np.any([labels.column(name) == "" for name in read], axis=0)
    known = set(labels.video[~blank].tolist())
    train = [one for one in videos.train if one.video in known]
    if len(train) < 4:
        raise InputError(
            f"labels must tell {' and '.join(read)} of at least 4 training videos, got {len(train)}. Fill in blanks."
        )
    names = [one.video for one in train]
    (classes, actions), *columns = (_numbered(labels, name, names) for name in read)
    return Feed(
        cache=FrameCache(train, size=clips.size, megabytes=clips.cache_megabytes),
        settings=clips,
        actions=dict(zip(names, actions)),
        num_actions=len(classes),
        secrets={name: [column[1][place] for column in columns] for place, name in enumerate(names)},
        secret_classes=[len(column[0]) for column in columns],
        pairs=pairs,
        moments=moments,
    )


def _numbered(labels: Labels, column: str, videos: list[str]) -> tuple[list[str], list[int]]:
    """The classes of a column among ``videos``, sorted, and the number of each video's class."""
    values = labels.lookup(column, videos).tolist()
    classes = sorted(set(values))
    if len(classes) < 2:
        raise InputError(
            f"labels must have at least two classes in {column!r} of training videos, got {classes}."
        )
    return classes, [classes.index(value) for value in values]


def _parts(items: np.ndarray, size: int) -> list[np.ndarray]:
    """``items`` in parts of about ``size``, none smaller than two: batch norm needs more than one."""
    return np.array_split(items, max(1, min(round(len(items) / size), len(items) // 2)))
