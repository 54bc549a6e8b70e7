"""The verb `extract`: from video files to an opened feature store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from latentveil.encoders import Encoder, check_encoder
from latentveil.errors import UsageError
from latentveil.extraction.run import ExtractionReport, ExtractOptions, ExtractProgress, run_extraction
from latentveil.extraction.worker import EncoderChoice
from latentveil.files.places import PlaceLike
from latentveil.machine.engines import Engine, find_engine
from latentveil.progress import OnProgress, Progress, shown
from latentveil.store import FeatureStore
from latentveil.types import Sampling
from latentveil.video.decoding import Decoding


class ExtractedStore(FeatureStore):
    """The store that an extraction wrote; ``report`` says what was done and which files could not be read."""

    def __init__(self, report: ExtractionReport) -> None:
        super().__init__(report.store)
        self.report = report


def extract(
    videos: PlaceLike | Sequence[PlaceLike],
    output: PlaceLike,
    *,
    encoder: str | Encoder = "i3d",
    size: int | None = None,
    weights: str | None = None,
    backend: str = "torch",
    device: str = "cpu",
    clips: str | int = "all",
    stride_frames: int | None = None,
    static: int = 0,
    view: str = "validation",
    views: int = 1,
    seed: int = 0,
    workers: int | None = None,
    batch_clips: int = 4,
    dtype: str = "float32",
    shard_videos: int = 32,
    engine: str | Engine = "local",
    address: str | None = None,
    worker_gpus: float = 0.0,
    sandbox: bool = False,
    decoding: Mapping[str, float] | None = None,
    progress: bool | OnProgress = True,
) -> ExtractedStore:
    """Encode the clips of ``videos`` (files, folders, lists, URLs of them) into the store at ``output``, and open it.

    ``clips`` is "all" or a number of evenly spaced ones; all clips start ``stride_frames`` apart, by default the clip
    length; ``static`` is the number of evenly spaced frames that are also encoded as stills. ``workers`` is by default
    what the processor has room for. Videos that the store already holds are skipped, so a run that was stopped or
    killed goes on where it was. Files that cannot be read are listed in the ``report`` of the store.

    The same call may run any number of times at once, on all machines that see the store: they divide the videos.
    ``engine`` "ray" spreads one call over a Ray cluster at ``address`` (by default over this machine), with
    ``worker_gpus`` graphics cards, or a part of one, for each worker; the store is the same, byte by byte.

    ``sandbox`` decodes in child processes that can do as little else as the system allows, for files from people one
    does not trust. ``decoding`` sets limits of one file, with or without it: ``pixels`` of a frame, ``frames``,
    ``seconds`` of decoding, and in the sandbox ``memory_megabytes``. A file beyond them fails, and the others go on.
    """
    places = [videos] if isinstance(videos, PlaceLike) else list(videos)
    with shown(progress) as on_progress:
        report = run_extraction(
            places,
            output,
            encoder=_choose(encoder, size=size, weights=weights, backend=backend, device=device),
            sampling=Sampling(
                clips=_number_of_clips(clips, stride_frames),
                stride_frames=stride_frames,
                static_clips=static,
                view=view,
                num_views=views,
                seed=seed,
            ),
            options=ExtractOptions(
                workers=workers,
                batch_clips=batch_clips,
                shard_videos=shard_videos,
                dtype=dtype,
                engine=find_engine(engine, address=address, gpus=worker_gpus),
                decoding=Decoding.of(decoding, sandbox=sandbox),
            ),
            on_progress=lambda state: on_progress(_step(state)),
        )
    return ExtractedStore(report)


def _choose(
    encoder: str | Encoder, *, size: int | None, weights: str | None, backend: str, device: str
) -> Encoder | EncoderChoice:
    """How to load the encoder, or the one that is loaded already."""
    if isinstance(encoder, str):
        check_encoder(encoder, backend=backend, device=device, weights=weights)
        return EncoderChoice(encoder, size=size, backend=backend, device=device, weights=weights)
    if (size, weights, backend, device) != (None, None, "torch", "cpu"):
        raise UsageError(
            "size, weights, backend and device must be left out for an encoder object, got some. "
            "Load it with them, or give the encoder's name."
        )
    return encoder


def _number_of_clips(clips: str | int, stride_frames: int | None) -> str | int:
    """The value of ``clips``: "all" or a number, which leaves no room for a stride."""
    if clips == "all":
        return clips
    if not str(clips).isdecimal():
        raise UsageError(f"clips must be 'all' or a number, got {clips!r}.")
    if stride_frames is not None:
        raise UsageError(
            f"stride_frames must be left out where clips is a number, got {stride_frames} and {clips}. "
            "Evenly spaced clips find their own distance."
        )
    return int(clips)


def _step(state: ExtractProgress) -> Progress:
    failed = f", {len(state.failures)} failed" if state.failures else ""
    return Progress(
        "extracting videos",
        state.num_done + len(state.failures),
        state.num_videos - state.num_skipped,
        f"{state.num_encoded} clips{failed}",
    )
