"""One worker: videos in, features out, with decoding a few batches ahead so that the encoder never waits."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from pathlib import Path

import numpy as np

from latentveil.encoders import Encoder, load_encoder
from latentveil.errors import InputError
from latentveil.extraction.ahead import run_ahead
from latentveil.extraction.inputs import VideoInput
from latentveil.files.place_files import local_file
from latentveil.machine.engines import Engine
from latentveil.printable import printable
from latentveil.types import EncoderInfo, FeatureSet
from latentveil.video.decode import open_video
from latentveil.video.decoding import USUAL, Decoding
from latentveil.video.reading import ClipFormat, ClipPlace, read_clips

BATCHES_AHEAD = 4


@dataclass(frozen=True)
class EncoderChoice:
    """How to load an encoder, in words that can be sent to a worker process.

    ``expected`` is what the first process that loaded it found: an encoder that differs is refused.
    """

    name: str = "i3d"
    size: int | None = None
    backend: str = "torch"
    device: str = "cpu"
    weights: str | None = None
    expected: EncoderInfo | None = None

    def load(self) -> Encoder:
        encoder = load_encoder(
            self.name, size=self.size, backend=self.backend, device=self.device, weights=self.weights
        )
        if self.expected is not None and encoder.info != self.expected:
            raise InputError(
                f"encoder must give the same weights in every process, got others from {self.name!r}. "
                "Seed its factory, or use one worker."
            )
        return encoder


@dataclass(frozen=True)
class Work:
    """What all workers of a run share: how clips are decoded and cut, how many are encoded at once, and the threads."""

    clip_format: ClipFormat
    batch_clips: int
    threads: int
    dtype: str = "float32"
    decoding: Decoding = USUAL


@dataclass(frozen=True)
class Encoded:
    """Some more clips have been encoded."""

    num_clips: int


@dataclass(frozen=True)
class Finished:
    """A video is done; ``features`` holds all its clips."""

    video: VideoInput
    features: FeatureSet


@dataclass(frozen=True)
class Failed:
    """A video gave no features; ``reason`` is a sentence that names the file."""

    video: VideoInput
    reason: str

    @classmethod
    def because(cls, video: VideoInput, error: Exception) -> Failed:
        """With what ``error`` says, and the name of the file before it where it names none, or a copy."""
        told = str(error)
        return cls(video, printable(told if str(video.path) in told else f"{video.path}: {told}"))


@dataclass(frozen=True)
class _Batch:
    """Clips of one video, decoded: ``frames`` is (B, T, S, S, 3) uint8."""

    places: list[ClipPlace]
    frames: np.ndarray


@dataclass(frozen=True)
class _VideoEnd:
    video: VideoInput


def encode_videos(
    videos: Iterable[VideoInput], encoder: Encoder, *, work: Work
) -> Generator[Encoded | Finished | Failed]:
    """Encode videos one after the other; ``videos`` is drawn from by the decoding thread, ahead of need.

    A batch never mixes videos, so that a video's features do not depend on its neighbours.
    """
    places: list[ClipPlace] = []
    features: list[np.ndarray] = []
    for item in run_ahead(_decode(videos, work), depth=BATCHES_AHEAD):
        if isinstance(item, _Batch):
            features.append(encoder.encode(item.frames).numpy())  # (B, D)
            places += item.places
            yield Encoded(len(item.places))
        else:
            yield (
                item if isinstance(item, Failed) else _finish(item.video, places, features, dtype=work.dtype)
            )
            places, features = [], []


class VideoEncoder:
    """A worker of an engine: it keeps its encoder, and is called with one video at a time."""

    def __init__(self, choice: EncoderChoice, work: Work) -> None:
        import torch

        torch.set_num_threads(work.threads)
        self.encoder = choice.load()
        self.work = work

    def __call__(self, video: VideoInput) -> Finished | Failed:
        *_, last = encode_videos([video], self.encoder, work=self.work)
        assert not isinstance(last, Encoded), "a video ends with what became of it"
        return last


def encode_on_engine(
    videos: Iterable[VideoInput],
    choice: EncoderChoice,
    *,
    work: Work,
    engine: Engine,
    workers: int | None,
) -> Generator[Encoded | Finished | Failed]:
    """As `encode_videos`, by workers of ``engine``; what is decoded there stays there, and features come back."""
    findable = (
        replace(video, path=video.path.absolute()) if isinstance(video.path, Path) else video
        for video in videos
    )
    outcomes = engine.map(partial(VideoEncoder, choice, work), findable, workers=workers)
    with closing(outcomes):
        for outcome in outcomes:
            if outcome.result is None:
                yield Failed(outcome.task, f"{outcome.task.path} could not be encoded: {outcome.lost}.")
                continue
            if isinstance(outcome.result, Finished):
                yield Encoded(len(outcome.result.features))
            yield outcome.result


def _decode(videos: Iterable[VideoInput], work: Work) -> Iterator[_Batch | _VideoEnd | Failed]:
    """The batches of each video, then its end or why it failed."""
    clip_format = work.clip_format
    for video in videos:
        try:
            with local_file(video.path) as path:
                source = open_video(path, threads=work.threads, decoding=work.decoding)
                clips = read_clips(source, video.video, clip_format=clip_format)
                while batch := list(islice(clips, work.batch_clips)):
                    frames = np.stack([clip.stacked(clip_format.clip_frames) for clip in batch])
                    yield _Batch([clip.place for clip in batch], frames)
            yield _VideoEnd(video)
        except InputError as error:
            yield Failed.because(video, error)
        except Exception as error:
            # One odd file must not end a run over a million others.
            yield Failed(video, f"{video.path} could not be read: {type(error).__name__}: {error}.")


def _finish(
    video: VideoInput, places: list[ClipPlace], features: list[np.ndarray], *, dtype: str
) -> Finished | Failed:
    feature = np.concatenate(features)  # (N, D)
    with np.errstate(over="ignore"):
        is_finite = np.isfinite(feature.astype(dtype)).all()
    if not is_finite:
        return Failed(
            video, f"{video.path} must give features that are finite in {dtype}, got NaN or infinity."
        )
    return Finished(
        video,
        FeatureSet(
            video=np.full(len(places), video.video),
            clip=np.array([place.clip for place in places]),
            start_frame=np.array([place.start_frame for place in places]),
            time=np.array([place.time for place in places]),
            kind=np.array([place.kind for place in places]),
            view=np.array([place.view for place in places]),
            feature=feature,
        ),
    )
