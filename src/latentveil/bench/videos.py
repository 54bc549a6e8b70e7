"""The video files behind a bench's features: for pictures, and for trainings that encode them anew each epoch."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.components import PrincipalComponents
from latentveil.extraction.inputs import collect_videos
from latentveil.extraction.live_features import LiveFeatures, VideoSource
from latentveil.files.places import Place
from latentveil.store import Manifest
from latentveil.types import FeatureSet

LABELS_OF_SET = "labels.csv"
VIDEOS = "videos"


@dataclass(frozen=True, eq=False)
class BenchVideos:
    """Files and folders of videos, how the store encoded them, and the space that a recipe works in."""

    places: tuple[Path, ...]
    manifest: Manifest
    space: PrincipalComponents | None = None

    @property
    def folder(self) -> Path:
        """The folder of the data, which all places are in."""
        return self.places[0].parent

    @property
    def clip_frames(self) -> int:
        """How many frames of a video the encoder takes for a clip."""
        return self.manifest.encoder.clip_frames

    def files(self) -> dict[str, Place]:
        """The file of each video, by its name in the store."""
        return {video.video: video.path for video in collect_videos(self.places)}

    def views(self, videos: Sequence[str], *, seed: int) -> Callable[[int], FeatureSet]:
        """What gives the features of ``videos`` in the random views of an epoch, each time through the encoder."""
        live = LiveFeatures(VideoSource(self.places), videos, manifest=self.manifest, seed=seed)
        return lambda epoch: self._in_space(live.features(epoch))

    def encoding_seconds(self, videos: Sequence[str]) -> float:
        """The core seconds that one pass of ``videos`` through the encoder takes, decoding included."""
        views = self.views(videos, seed=0)
        started = time.process_time()
        views(0)
        return time.process_time() - started

    def _in_space(self, features: FeatureSet) -> FeatureSet:
        return features if self.space is None else self.space.apply(features)


def find_videos(folder: Path, manifest: Manifest, space: PrincipalComponents | None) -> BenchVideos | None:
    """The videos in ``folder``/videos, or those of the sets below it, each with labels of its own; None without any."""
    sets = [path.parent for path in sorted(folder.glob(f"*/{LABELS_OF_SET}"))]
    places = [folder / VIDEOS] if (folder / VIDEOS).is_dir() else sets
    return BenchVideos(tuple(places), manifest, space) if places else None
