"""Features of rewritten videos: every video behind a pixel anonymizer, then through the encoder of the raw ones."""

from __future__ import annotations

import json
import shutil
from dataclasses import asdict
from hashlib import sha256
from pathlib import Path

import numpy as np

from latentveil.bench.data import STORE
from latentveil.bench.videos import BenchVideos
from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, ExtractOptions, run_extraction
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.apply import apply_pixels
from latentveil.store import FeatureStore
from latentveil.types import FeatureSet


def rewritten_features(
    videos: BenchVideos, anonymizer: PixelAnonymizer, raw: FeatureSet, labels: Labels, *, shared: Path
) -> FeatureSet:
    """The clips of ``raw`` as the store would hold them, had their videos been rewritten first.

    Videos become mp4 files (pictures: png), as `veil apply` writes them, and are encoded as the raw ones were. Where a
    recipe works on principal components, they are those of the rewritten training videos: who gets these has no others.
    ``shared`` keeps what was encoded once.
    """
    store = FeatureStore(_encoded(videos, anonymizer, shared=shared))
    found = store.read(videos=sorted(set(raw.video.tolist())))
    for name in ("video", "kind", "clip"):
        if not np.array_equal(getattr(found, name), getattr(raw, name)):
            raise InputError(
                f"rewritten videos must have the clips of the raw ones, got others by their {name}. Take the videos "
                "that the raw features come from."
            )
    return found if videos.space is None else videos.space.refit(found, labels).apply(found)


def _encoded(videos: BenchVideos, anonymizer: PixelAnonymizer, *, shared: Path) -> Path:
    """The store of the rewritten videos, which a run that was stopped goes on with."""
    place = shared / f"rewritten-{_content_hash(videos, anonymizer)}"
    store, rewritten = place / STORE, place / "videos"
    if (place / "whole").is_file():
        return store
    done = apply_pixels(anonymizer, list(videos.places), rewritten, progress=False)
    encoder = videos.manifest.encoder
    report = run_extraction(
        [rewritten],
        store,
        encoder=EncoderChoice(encoder.name, size=encoder.frame_size),
        sampling=videos.manifest.sampling,
        options=ExtractOptions(shard_videos=16, dtype=videos.manifest.dtype),
    )
    for failure in (*done.failures, *report.failures):
        raise InputError(f"every video must be readable to be rewritten. {failure.reason}")
    shutil.rmtree(rewritten)
    (place / "whole").touch()
    return store


def _content_hash(videos: BenchVideos, anonymizer: PixelAnonymizer) -> str:
    """A hash of the anonymizer, of the files (by key and size), and of how they are encoded."""
    made = {name: value for name, value in anonymizer.config.items() if name != "recipe"}
    files = [f"{video} {path.stat().st_size}" for video, path in sorted(videos.files().items())]
    encoding = [asdict(videos.manifest.encoder), asdict(videos.manifest.sampling), videos.manifest.dtype]
    told = [made, anonymizer.sha256(), files, encoding]
    return sha256(json.dumps(told, sort_keys=True, default=str).encode()).hexdigest()[:24]
