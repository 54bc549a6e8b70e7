"""A run of extraction: from files to a store, resumable at any moment."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from latentveil.encoders import Encoder
from latentveil.errors import InputError, UsageError
from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.extraction.pool import encode_in_processes
from latentveil.extraction.shares import Share, SharedWork, cut_shares, plan_name
from latentveil.extraction.worker import (
    Encoded,
    EncoderChoice,
    Failed,
    Finished,
    Work,
    encode_on_engine,
    encode_videos,
)
from latentveil.files.places import Place, PlaceLike
from latentveil.machine.engines import Engine
from latentveil.printable import printable
from latentveil.store import Manifest, StoreWriter
from latentveil.store.presence import WORK_NAME, Presence
from latentveil.store.shard import require_video_key
from latentveil.types import Sampling
from latentveil.video.clips import check_sampling
from latentveil.video.decoding import USUAL, Decoding
from latentveil.video.reading import ClipFormat
from latentveil.video.sandbox import require_sandbox

# Unless workers are asked for: a process takes seconds to start, and each holds an encoder in memory.
VIDEOS_WORTH_A_WORKER = 8
MOST_WORKERS = 16

Encode = Callable[[Iterable[VideoInput]], Generator[Encoded | Finished | Failed]]


@dataclass(frozen=True)
class ExtractOptions:
    """How the work is done. Only ``dtype`` can change what ends up in the store.

    ``workers`` is a number of processes; None for as many as cores and videos allow, since one thread in each of two
    processes encodes faster than two threads in one. With an ``engine`` they are its workers, by default all it has.
    """

    workers: int | None = None
    batch_clips: int = 4
    shard_videos: int = 32
    dtype: str = "float32"
    engine: Engine | None = None
    decoding: Decoding = USUAL

    def __post_init__(self) -> None:
        for name in ("workers", "batch_clips", "shard_videos"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise UsageError(f"{name} must be at least 1, got {value}.")
        if self.dtype not in ("float32", "float16"):
            raise UsageError(f"dtype must be float32 or float16, got {self.dtype!r}.")


@dataclass
class ExtractProgress:
    """How far a run is: ``num_skipped`` videos were in the store before, ``num_encoded`` counts clips as they come."""

    num_videos: int
    num_skipped: int
    num_done: int = 0
    num_clips: int = 0
    num_encoded: int = 0
    failures: list[Failed] = field(default_factory=list)


@dataclass(frozen=True)
class ExtractionReport:
    """What a run did: ``num_videos`` and ``num_clips`` are new in the store, ``num_skipped`` videos were in before."""

    store: Place
    num_videos: int
    num_clips: int
    num_skipped: int
    failures: tuple[Failed, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        return {
            "store": str(self.store),
            "videos": self.num_videos,
            "clips": self.num_clips,
            "skipped": self.num_skipped,
            "failures": [
                {"video": failure.video.video, "path": str(failure.video.path), "reason": failure.reason}
                for failure in self.failures
            ],
            "seconds": round(self.seconds, 3),
        }


def run_extraction(
    videos: Sequence[PlaceLike],
    store: PlaceLike,
    *,
    encoder: str | EncoderChoice | Encoder = "i3d",
    sampling: Sampling | None = None,
    options: ExtractOptions | None = None,
    on_progress: Callable[[ExtractProgress], None] = lambda _: None,
) -> ExtractionReport:
    """Encode the clips of ``videos`` (files, folders, lists) into the store at ``store``.

    Videos that the store already holds are skipped, so a run that was stopped or killed goes on where it was. Any
    number of runs, on any machines that see the store, may do this at once: they divide the videos among themselves,
    and what one that dies leaves is done by the others. A video that cannot be read is reported in ``failures`` and
    does not stop the others.
    """
    started = time.monotonic()
    sampling, options = sampling or Sampling(), options or ExtractOptions()
    check_sampling(sampling)
    if options.decoding.sandbox:
        require_sandbox()
    inputs, misnamed = _set_misnamed_aside(collect_videos(videos))
    choice, loaded = _load(encoder, workers=options.workers)
    manifest = Manifest(encoder=loaded.info, sampling=sampling, dtype=options.dtype, backend=loaded.backend)
    with StoreWriter(store, manifest, shared=True) as writer:
        stored = writer.finished_videos()
        missing = [video for video in inputs if video.video not in stored]
        progress = ExtractProgress(
            num_videos=len(inputs) + len(misnamed), num_skipped=len(inputs) - len(missing), failures=misnamed
        )
        if missing:
            encode = _encoding(choice, loaded, sampling=sampling, options=options, num_videos=len(missing))
            _extract_shares(writer, cut_shares(inputs, options.shard_videos), encode, progress, on_progress)
        else:
            writer.finish()
            _sweep(writer)
    return ExtractionReport(
        store=writer.path,
        num_videos=progress.num_done,
        num_clips=progress.num_clips,
        num_skipped=progress.num_videos - progress.num_done - len(progress.failures),
        failures=tuple(sorted(progress.failures, key=lambda failure: failure.video.video)),
        seconds=time.monotonic() - started,
    )


def _encoding(
    choice: EncoderChoice | None,
    loaded: Encoder,
    *,
    sampling: Sampling,
    options: ExtractOptions,
    num_videos: int,
) -> Encode:
    """How videos are encoded: in this process, or in others, here or elsewhere, that load the encoder themselves."""
    engine = options.engine
    if engine is not None:
        if choice is None:
            raise UsageError("encoder must be a name for an engine, got an object. Give the encoder's name.")
        work = replace(_divide_work(loaded, sampling, options, workers=1), threads=1)
        return lambda videos: encode_on_engine(
            videos, choice, work=work, engine=engine, workers=options.workers
        )
    workers = number_of_workers(options.workers, num_videos, choice)
    work = _divide_work(loaded, sampling, options, workers=workers)
    if choice is None or workers == 1:
        return lambda videos: encode_videos(videos, loaded, work=work)
    return lambda videos: encode_in_processes(videos, choice, work=work, workers=workers)


def _extract_shares(
    writer: StoreWriter,
    shares: Sequence[Share],
    encode: Encode,
    progress: ExtractProgress,
    on_progress: Callable[[ExtractProgress], None],
) -> None:
    """Do the shares that no other run does, wait for the others, take over what the dead leave, and finish."""
    with Presence(writer.path, plan_name(shares)) as presence:
        with SharedWork(writer, presence, shares) as shared:
            while True:
                with closing(encode(shared.videos())) as events:
                    for event in events:
                        _account(event, progress, shared)
                        on_progress(progress)
                if not shared.wait_for_others():
                    break
            known = {failure.video.video for failure in progress.failures}
            progress.failures += [found for found in shared.failures() if found.video.video not in known]
        writer.finish()
        is_last = not presence.others()
    if is_last:
        writer.remove_leftovers()
        presence.remove_folder()


def _sweep(writer: StoreWriter) -> None:
    """Delete what runs left that were killed when all was done, unless somebody is still at work."""
    if not (writer.path / WORK_NAME).exists():
        return
    with Presence(writer.path) as presence:
        is_last = not presence.others()
    if is_last:
        writer.remove_leftovers()
        presence.remove_folder()


def _set_misnamed_aside(videos: Sequence[VideoInput]) -> tuple[list[VideoInput], list[Failed]]:
    """The videos that a store can name, and as failed those of odd bytes; a key that leads elsewhere is refused."""
    named, misnamed = [], []
    for video in videos:
        try:
            require_video_key(video.video)
            named.append(video)
        except InputError as error:
            if video.video.isprintable():
                raise
            name = printable(str(video.path))
            misnamed.append(Failed(video, f"{name} must have another name: {error} Rename it."))
    return named, misnamed


def _account(event: Encoded | Finished | Failed, progress: ExtractProgress, shared: SharedWork) -> None:
    match event:
        case Encoded():
            progress.num_encoded += event.num_clips
        case Finished():
            shared.add(event)
            progress.num_done += 1
            progress.num_clips += len(event.features)
        case Failed():
            shared.add(event)
            progress.failures.append(event)


def _load(
    encoder: str | EncoderChoice | Encoder, *, workers: int | None
) -> tuple[EncoderChoice | None, Encoder]:
    """The encoder, and how another process would load it; an encoder that is already loaded stays in this one."""
    if isinstance(encoder, Encoder):
        if workers is not None and workers > 1:
            raise UsageError(
                f"workers must be 1 for an encoder object, got {workers}. Give the encoder's name."
            )
        return None, encoder
    choice = EncoderChoice(encoder) if isinstance(encoder, str) else encoder
    loaded = choice.load()
    return replace(choice, expected=loaded.info), loaded


def number_of_workers(wanted: int | None, num_videos: int, choice: EncoderChoice | None) -> int:
    """How many processes encode ``num_videos`` videos, where ``wanted`` leaves it open (None) or asks for too many.

    An encoder object (no ``choice``) stays in this process, and one on a graphics card is not loaded twice.
    """
    if wanted is not None:
        return max(1, min(wanted, num_videos))
    if choice is None or choice.device != "cpu":
        return 1
    return max(1, min(torch.get_num_threads(), MOST_WORKERS, num_videos // VIDEOS_WORTH_A_WORKER))


def _divide_work(encoder: Encoder, sampling: Sampling, options: ExtractOptions, *, workers: int) -> Work:
    """The same work for every worker, with its share of the threads that torch may use here."""
    return Work(
        clip_format=ClipFormat(sampling, encoder.info.clip_frames, encoder.info.frame_size),
        batch_clips=options.batch_clips,
        threads=max(1, torch.get_num_threads() // workers),
        dtype=options.dtype,
        decoding=options.decoding,
    )
