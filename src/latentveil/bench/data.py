"""The data a bench runs on: a folder with features and labels, in their own dimensions or in principal components."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from latentveil.bench.components import PrincipalComponents as PrincipalComponents
from latentveil.bench.videos import BenchVideos, find_videos
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment, read_segments
from latentveil.store import FeatureStore
from latentveil.types import ClipTiming, FeatureSet

STORE, LABELS, SEGMENTS, BOXES = "raw.store", "labels.csv", "segments.csv", "boxes.csv"


@dataclass(frozen=True, eq=False)
class BenchData:
    """What a bench is run on: features and labels of the same videos, and timed events where there are some.

    ``videos`` are the files that the features come from, where they are at hand.
    """

    features: FeatureSet
    labels: Labels
    segments: dict[str, list[Segment]] | None = None
    timing: ClipTiming | None = None
    videos: BenchVideos | None = None

    @classmethod
    def load(cls, folder: str | Path, *, components: int = 0, centred: bool = False) -> BenchData:
        """The data of ``folder``, in ``components`` principal components of its training videos (0: as they are)."""
        features, labels = load_bench_data(folder)
        space = None
        if components:
            space = PrincipalComponents.fit(features, labels, components, centred=centred)
            features = space.apply(features)
        segments, store = Path(folder) / SEGMENTS, FeatureStore(Path(folder) / STORE)
        return cls(
            features,
            labels,
            read_segments(segments) if segments.is_file() else None,
            store.timing,
            find_videos(Path(folder), store.manifest, space),
        )


def load_bench_data(folder: str | Path) -> tuple[FeatureSet, Labels]:
    """The features of ``folder``/raw.store whose videos have labels in ``folder``/labels.csv, and these labels.

    Folders of several encoders' stores may share the labels of the folder that they are in.
    """
    store, labels = Path(folder) / STORE, Path(folder) / LABELS
    if not labels.exists():
        labels = Path(folder).parent / LABELS
    missing = [path.name for path in (store, labels) if not path.exists()]
    if missing:
        raise InputError(
            f"data must be a folder with {STORE} and {LABELS}, got no {missing[0]} in {folder}. "
            "Make the store with `veil extract` or `veil import`, and put the labels beside it."
        )
    opened = FeatureStore(store)
    known = Labels.read(labels).only(opened.videos)
    return opened.read(videos=known.video.tolist()), known
