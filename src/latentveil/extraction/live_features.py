"""Features of freshly augmented videos: every epoch, new crops and flips go through the frozen encoder (Table 14)."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import torch

from latentveil.arguments import argument
from latentveil.encoders import Encoder, find_encoder
from latentveil.errors import InputError, UsageError
from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.extraction.pool import encode_in_processes
from latentveil.extraction.worker import Encoded, EncoderChoice, Failed, Finished, Work, encode_videos
from latentveil.progress import OnProgress, Progress, silent
from latentveil.seeds import derive_seed
from latentveil.store import Manifest
from latentveil.types import EncoderInfo, FeatureSet, concatenate
from latentveil.video.reading import ClipFormat


@dataclass(frozen=True)
class VideoSource:
    """Where the videos of a store are, and how to encode them again; encoder and size are the store's unless given.

    ``places`` are files, folders or lists, as for extraction.
    """

    places: Sequence[str | Path]
    encoder: str | None = None
    size: int | None = None
    weights: str | None = None
    workers: int = 1
    batch_clips: int = 4

    def __post_init__(self) -> None:
        if self.encoder is not None:
            find_encoder(self.encoder)
        for name in ("workers", "batch_clips"):
            if getattr(self, name) < 1:
                raise UsageError(f"{name} must be at least 1, got {getattr(self, name)}.")


class LiveFeatures:
    """The clips of some videos as the store has them, but each epoch in a training view of its own.

    The views of an epoch follow from ``seed`` and its number alone, so that a run that goes on sees what it would have
    seen. Nothing is written.
    """

    def __init__(
        self,
        source: VideoSource,
        videos: Sequence[str],
        *,
        manifest: Manifest,
        seed: int,
        device: str = "cpu",
        on_progress: OnProgress = silent,
    ) -> None:
        self.source = source
        self.on_progress = on_progress
        self.videos = find_videos(source.places, videos)
        self.sampling = replace(manifest.sampling, view="training", num_views=1)
        self.seed = seed
        self.encoder, self.choice = load_as_stored(
            manifest.encoder, encoder=source.encoder, size=source.size, device=device, weights=source.weights
        )

    def features(self, epoch: int) -> FeatureSet:
        """All clips of the videos, temporal and static, in the views of ``epoch``."""
        found: dict[str, FeatureSet] = {}
        with closing(self._events(epoch)) as events:
            for event in events:
                if isinstance(event, Failed):
                    raise InputError(f"every training video must be readable. {event.reason}")
                if isinstance(event, Finished):
                    found[event.video.video] = event.features
                    self.on_progress(
                        Progress("encoding videos", len(found), len(self.videos), f"of epoch {epoch + 1}")
                    )
        return concatenate([found[name] for name in sorted(found)])

    def _events(self, epoch: int) -> Generator[Encoded | Finished | Failed]:
        info, source = self.encoder.info, self.source
        workers = min(source.workers, len(self.videos))
        sampling = replace(self.sampling, seed=derive_seed(self.seed, epoch))
        work = Work(
            clip_format=ClipFormat(sampling, info.clip_frames, info.frame_size),
            batch_clips=source.batch_clips,
            threads=max(1, torch.get_num_threads() // workers),
        )
        if workers == 1:
            return encode_videos(self.videos, self.encoder, work=work)
        return encode_in_processes(self.videos, self.choice, work=work, workers=workers)


def find_videos(places: Sequence[str | Path], names: Sequence[str]) -> list[VideoInput]:
    """The files of the videos ``names``, in that order; files of other videos are left alone."""
    files = {video.video: video for video in collect_videos(places)}
    missing = [name for name in names if name not in files]
    if missing:
        raise InputError(
            f"videos must hold every training video, got no file for {missing[0]!r} ({len(missing)} missing). "
            "Give the files, folders or lists that the store was extracted from."
        )
    return [files[name] for name in names]


def load_as_stored(
    stored: EncoderInfo,
    *,
    encoder: str | None,
    weights: str | None,
    size: int | None = None,
    backend: str = "torch",
    device: str = "cpu",
) -> tuple[Encoder, EncoderChoice]:
    """The encoder of a store, and how another process would load it; its name and size are the store's unless given."""
    size = size or stored.frame_size
    choice = EncoderChoice(encoder or stored.name, size=size, backend=backend, device=device, weights=weights)
    try:
        loaded = choice.load()
    except UsageError as error:
        if encoder is not None:
            raise
        raise InputError(f"the store must name an encoder that is known here. {error}") from error
    require_same_encoder(loaded.info, stored)
    return loaded, replace(choice, expected=loaded.info)


def require_same_encoder(given: EncoderInfo, stored: EncoderInfo) -> None:
    """Refuse an encoder that gives other features than the store holds, naming both."""
    there, here = asdict(stored), asdict(given)
    differing = [
        f"{name} is {there[name]!r} there, got {here[name]!r}" for name in there if there[name] != here[name]
    ]
    if differing:
        raise InputError(
            f"encoder must be the store's {stored.name!r}, got {given.name!r}: {'; '.join(differing)}. "
            f"Choose {argument('encoder')}, {argument('size')} and {argument('weights')} as for that store."
        )
