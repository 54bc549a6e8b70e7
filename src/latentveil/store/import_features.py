"""Features that people already have, turned into a store."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from latentveil.errors import InputError, UsageError
from latentveil.files.places import Place, PlaceLike
from latentveil.notices import notify
from latentveil.progress import OnProgress, Progress, silent
from latentveil.store.array_files import close_all, list_arrays, load_array, load_text
from latentveil.store.import_plan import OPTIONAL_TABLE_ARRAYS, Source, plan_import
from latentveil.store.imported_before import require_same_clips
from latentveil.store.manifest import Manifest
from latentveil.store.read import FeatureStore
from latentveil.store.write import StoreWriter
from latentveil.types import STATIC, TEMPORAL, UNKNOWN_FRAME, EncoderInfo, FeatureSet, Sampling, concatenate

SHARD_BYTES = 64 << 20
LAST_CLIP = (1 << 31) - 1
LAST_FRAME = 1 << 40  # a thousand years of video
UNKNOWN = "unknown"
IMPORTED = "imported"


@dataclass(frozen=True)
class ImportSettings:
    """What the files do not say: the encoder's name, the frame rate, and the frames from one clip to the next."""

    encoder: str = UNKNOWN
    fps: float | None = None
    stride_frames: int = 16
    dtype: str = "float32"

    def __post_init__(self) -> None:
        if self.fps is not None and not 0 < self.fps < float("inf"):
            raise UsageError(f"fps must be positive, got {self.fps}.")
        if self.stride_frames < 1:
            raise UsageError(f"stride_frames must be at least 1, got {self.stride_frames}.")
        if self.dtype not in ("float32", "float16"):
            raise UsageError(f"dtype must be float32 or float16, got {self.dtype!r}.")

    def seconds(self, start_frame: np.ndarray) -> np.ndarray:
        """The times (N,) of frames (N,); NaN where the frame or the frame rate is not known."""
        if self.fps is None:
            return np.full(len(start_frame), np.nan)
        return np.where(start_frame == UNKNOWN_FRAME, np.nan, start_frame / self.fps)


def write_imported(
    files: Sequence[Place],
    store: PlaceLike,
    *,
    static_files: Sequence[Place] = (),
    settings: ImportSettings | None = None,
    on_progress: OnProgress = silent,
) -> Manifest:
    """Write the features of ``files`` (and folders), and of ``static_files`` as static clips, to ``store``.

    Shapes, names and kinds are checked before the first write; values while writing. Where something is wrong the
    store is left unfinished: after the cause is removed, the same call goes on. Videos that a finished store holds are
    found again, and refused with other features. ``on_progress`` is told of clips.
    """
    settings = settings or ImportSettings()
    try:
        sources = plan_import(files, static_files)
        with StoreWriter(store, _manifest(sources, settings)) as writer:
            todo = _unfinished(sources, writer, settings)
            if writer.manifest.complete and not todo:
                told = f"{writer.path} holds these features already: nothing is imported again."
                notify(told)
                return writer.manifest
            done, total = 0, sum(source.num_rows for source in todo)
            for group in _pack(todo, SHARD_BYTES // (4 * sources[0].dim)):
                features = concatenate([_load(source, settings) for source in group])
                writer.write_shard(features)
                done += len(features)
                on_progress(Progress("importing clips", done, total))
            return writer.finish()
    finally:
        close_all()
        _load_table.cache_clear()


def _manifest(sources: Sequence[Source], settings: ImportSettings) -> Manifest:
    """What is known of imported features; frame size 0 and "unknown" stand for what is not."""
    encoder = EncoderInfo(
        name=settings.encoder,
        weights_sha256=UNKNOWN,
        dim=sources[0].dim,
        clip_frames=16,
        frame_size=0,
        mean=(0.0, 0.0, 0.0),
        std=(1.0, 1.0, 1.0),
        pooling=UNKNOWN,
    )
    sampling = Sampling(
        clips=IMPORTED,
        stride_frames=settings.stride_frames,
        static_clips=max((source.num_rows for source in sources if source.kind == STATIC), default=0),
        view=IMPORTED,
    )
    return Manifest(
        encoder=encoder,
        sampling=sampling,
        dtype=settings.dtype,
        backend=IMPORTED,
        requested_fps=settings.fps,
    )


def _unfinished(sources: Sequence[Source], writer: StoreWriter, settings: ImportSettings) -> list[Source]:
    """The sources still to be written: an interrupted import is continued, a finished one never changed."""
    finished = writer.finished_videos()
    listed = {
        video.video
        for name, footer in writer.footers()
        if writer.manifest.complete and name in writer.manifest.shards
        for video in footer.videos
    }
    repeated = [source for source in sources if source.video in listed]
    for group in _pack(repeated, SHARD_BYTES // (4 * writer.manifest.dim)):
        require_same_clips(FeatureStore(writer.path), concatenate([_load(one, settings) for one in group]))
    return [source for source in sources if source.video not in finished]


def _pack(sources: Sequence[Source], max_rows: int) -> Iterator[list[Source]]:
    """Groups of whole videos, each of about ``max_rows`` rows, in the order of the files."""
    videos: dict[str, list[Source]] = defaultdict(list)
    for source in sources:
        videos[source.video].append(source)
    group: list[Source] = []
    for found in videos.values():
        group += found
        if sum(source.num_rows for source in group) >= max_rows:
            yield group
            group = []
    if group:
        yield group


def _load(source: Source, settings: ImportSettings) -> FeatureSet:
    """The clips of one source, checked; (D,) becomes (1, D)."""
    given = {"feature": load_array(source.path, source.array)} if source.rows is None else _table_rows(source)
    feature = np.atleast_2d(given.pop("feature"))  # (T, D)
    if feature.dtype.kind not in "fiu":
        raise InputError(f"{source.path}: features must be numbers, got {feature.dtype}.")
    with np.errstate(over="ignore"):
        feature = feature.astype(settings.dtype)
    if not np.isfinite(feature).all():
        raise InputError(
            f"{source.path}: features must be finite in {settings.dtype}, got NaN, infinity or overflow "
            f"in video {source.video!r}."
        )
    columns = _clip_columns(source, given, settings)
    return FeatureSet(feature=feature.astype(np.float32), **columns)


def _clip_columns(
    source: Source, given: dict[str, np.ndarray], settings: ImportSettings
) -> dict[str, np.ndarray]:
    """Every column (T,) but the feature: from the table's own arrays where it has them, else from the settings."""
    count = np.arange(source.num_rows)
    if "start_frame" in given:
        frames = given["start_frame"]
        clip = np.argsort(np.argsort(frames, kind="stable"))  # the rank of each clip in time
    elif source.kind == TEMPORAL:
        frames, clip = count * settings.stride_frames, count
    else:  # a list of static clips does not say which frames they show
        frames, clip = np.full(source.num_rows, UNKNOWN_FRAME), count
    if settings.fps is not None:
        given.pop("time", None)
    _require_frames(source, frames, given.get("view"))
    return {
        "video": np.full(source.num_rows, source.video),
        "clip": clip,
        "start_frame": frames,
        "time": settings.seconds(frames),
        "kind": np.full(source.num_rows, source.kind),
        "view": np.full(source.num_rows, IMPORTED),
    } | given


def _require_frames(source: Source, frames: np.ndarray, view: np.ndarray | None) -> None:
    """Refuse frames (T,) before the first one of a video, and two clips of one view from the same frame."""
    least = 0 if source.kind == TEMPORAL else UNKNOWN_FRAME
    wrong = (frames < least) | (frames > LAST_FRAME)
    if wrong.any():
        raise InputError(
            f"{source.path}: start_frame must be from {least} to {LAST_FRAME} for {source.kind} clips, got "
            f"{frames[wrong][0]} in video {source.video!r}."
        )
    seen = np.zeros(len(frames), int) if view is None else np.unique(view, return_inverse=True)[1]
    places, counts = np.unique(np.stack([seen, frames]), axis=1, return_counts=True)
    twice = (counts > 1) & (places[1] != UNKNOWN_FRAME)
    if twice.any():
        raise InputError(
            f"{source.path}: every clip of a view must have its own start_frame, got {places[1][twice][0]} twice in "
            f"video {source.video!r}."
        )


def _table_rows(source: Source) -> dict[str, np.ndarray]:
    """The rows of one source, of each array of its table that the store has a column for."""
    table = _load_table(source.path, source.array)
    return {name: values[source.rows] for name, values in table.items()}


@lru_cache(maxsize=2)  # all videos of a table are read from it one after the other
def _load_table(path: Place, feature: str) -> dict[str, np.ndarray]:
    """The features under the name "feature", and the optional arrays except the kind, which tells sources apart."""
    names = list_arrays(path).keys() & (OPTIONAL_TABLE_ARRAYS - {"kind"})
    table = {name: load_array(path, name) for name in sorted(names)} | {"feature": load_array(path, feature)}
    for name in names & {"clip", "start_frame"}:
        if table[name].dtype.kind not in "iu":
            raise InputError(f"{path}: {name} must be whole numbers, got {table[name].dtype}.")
    if "clip" in table and not ((table["clip"] >= 0) & (table["clip"] < LAST_CLIP)).all():
        raise InputError(f"{path}: clip must be from 0 to {LAST_CLIP}, got other numbers.")
    if "time" in table and table["time"].dtype.kind not in "fiu":
        raise InputError(f"{path}: time must be numbers, got {table['time'].dtype}.")
    if "time" in table and ((table["time"] < 0) | np.isinf(table["time"])).any():
        raise InputError(f"{path}: time must be at least 0 seconds or NaN, got other numbers.")
    if "view" in table:
        table["view"] = load_text(path, "view")
    return table
