"""The data of the protocol `pixels`: a folder of videos with labels.csv, raw clips, and I3D's features of these."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np

from latentveil.actors.sets.write import write_dataset
from latentveil.bench.data import LABELS, BenchData
from latentveil.bench.pixels.clips import ClipShape, GradedClips, read_clips
from latentveil.bench.pixels.recognizers import video_features
from latentveil.extraction.inputs import VideoInput, collect_videos
from latentveil.labels import Labels
from latentveil.progress import OnProgress, silent
from latentveil.types import FeatureSet

NUM_VIDEOS, NUM_QUICK_VIDEOS = 320, 64


@dataclass(frozen=True, eq=False)
class PixelData(BenchData):
    """``folder`` has the ``files``; ``raw`` is a clip of each. The features are those of clips and of two stills."""

    folder: Path = Path()
    files: tuple[VideoInput, ...] = ()
    raw: GradedClips | None = None
    cache: Path = Path()


def render_actors(
    folder: Path, *, size: int, quick: bool, more_test: int, on_progress: OnProgress = silent
) -> Path:
    """Videos of `veil actors` in ``folder``; what is there is kept. Quick ones have no more test videos."""
    if not (folder / LABELS).is_file():
        write_dataset(
            folder,
            task="action",
            num_videos=NUM_QUICK_VIDEOS if quick else NUM_VIDEOS,
            more_test=0 if quick else more_test,
            size=size,
            on_progress=on_progress,
        )
    return folder


def load_pixel_data(
    folder: Path, shape: ClipShape, *, cache: Path, on_progress: OnProgress = silent
) -> PixelData:
    """The videos of ``folder``, their clips and features; ``cache`` keeps what was decoded and encoded once."""
    labels, videos = Labels.read(folder / LABELS), collect_videos([folder])
    told = [f"{one.video} {one.path.stat().st_size}" for one in videos]
    name = sha256("\n".join([repr(shape), *told]).encode()).hexdigest()[:16]
    kept = cache / f"clips-{name}.npz"
    known = labels.only([one.video for one in videos])
    if not kept.is_file():
        raw = read_clips(videos, labels, shape, on_progress=on_progress)
        tiled = [np.repeat(raw.pictures[:, [place]], shape.frames, axis=1) for place in (0, -1)]
        features = np.stack([video_features(clips) for clips in (raw.pictures, *tiled)], axis=1)  # (V, 3, D)
        cache.mkdir(parents=True, exist_ok=True)
        partial = kept.with_suffix(".part.npz")
        np.savez(partial, pictures=raw.pictures, features=features)
        partial.rename(kept)
    with np.load(kept) as found:
        pictures, features = found["pictures"], found["features"]
    names = known.video.tolist()
    return PixelData(
        FeatureSet.from_arrays(
            dict(zip(names, features[:, :1])), stills=dict(zip(names, features[:, 1:])), fps=None
        ),
        known,
        folder=folder,
        files=tuple(videos),
        raw=GradedClips(pictures, known),
        cache=cache,
    )
