"""Reading a store: memory-mapped, by video, by split, in padded batches, as one matrix, or shard by shard."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING

import numpy as np

from latentveil.errors import InputError
from latentveil.files.places import PlaceLike, as_place
from latentveil.labels import Labels
from latentveil.store.footer import Footer
from latentveil.store.in_memory import empty_features, with_text
from latentveil.store.manifest import Derivation, Manifest, read_manifest
from latentveil.store.shard_file import OpenShard, damaged
from latentveil.types import KINDS, STATIC, TEMPORAL, ClipTiming, EncoderInfo, FeatureSet

if TYPE_CHECKING:
    from torch import Tensor

CACHED_FILES = 32
CACHED_ROW_GROUPS = 32


@dataclass(frozen=True)
class Place:
    """Where a video is: the shard, its first row there, and how many static and then temporal rows follow."""

    shard: str
    first_row: int
    static: int
    temporal: int

    def rows(self, kind: str | None) -> range:
        """The rows of one kind in the shard, or of both."""
        middle = self.first_row + self.static
        start = middle if kind == TEMPORAL else self.first_row
        return range(start, middle if kind == STATIC else middle + self.temporal)


class FeatureStore:
    """A finished store, open for reading. ``len(store)`` is its number of clips; features are float32 throughout."""

    def __init__(self, path: PlaceLike) -> None:
        self.path = as_place(path)
        self.manifest: Manifest = read_manifest(self.path)
        if not self.manifest.complete:
            raise InputError(
                f"store {self.path} must be complete, got an interrupted one. Run again to finish it."
            )
        self.manifest.require_counts(self.path)
        self._checked: set[str] = set()
        self._file = lru_cache(maxsize=CACHED_FILES)(self._open)
        self._row_group = lru_cache(maxsize=CACHED_ROW_GROUPS)(self._read_row_group)

    def __len__(self) -> int:
        return self.manifest.counts.clips

    def __reduce__(self) -> tuple:
        return FeatureStore, (self.path,)

    def __repr__(self) -> str:
        counts = self.manifest.counts
        kept = "anonymized" if self.derived_from else "raw"
        return (
            f"FeatureStore({str(self.path)!r}: {kept}, {counts.videos} videos, {counts.temporal} temporal and "
            f"{counts.static} static clips of {self.dim} numbers)"
        )

    @property
    def dim(self) -> int:
        """The dimension D of the features."""
        return self.manifest.dim

    @property
    def name(self) -> str:
        """What to call the store in a sentence."""
        return f"the store {self.path}"

    @property
    def timing(self) -> ClipTiming:
        """What tasks need to know of the clips' times."""
        return self.manifest.timing

    @property
    def encoder(self) -> EncoderInfo:
        """What made the raw features."""
        return self.manifest.encoder

    @property
    def derived_from(self) -> Derivation | None:
        """The adapter and the store that these features were made with; None for raw ones."""
        return self.manifest.derived_from

    @property
    def videos(self) -> list[str]:
        """The names of the videos, sorted."""
        return sorted(self._index)

    def num_clips(self, video: str) -> int:
        """How many clips, temporal and static, the store has of a video."""
        return len(self._place(video).rows(None))

    def read(self, kind: str | None = None, videos: Iterable[str] | None = None) -> FeatureSet:
        """The clips of one kind (or both) of the given videos (or all), in memory.

        Shapes: ``.feature`` (N, D). Rows are sorted by video, kind, view and time, however the store is cut into
        shards and whatever the order of ``videos``.
        """
        _require_kind(kind)
        spans: dict[str, list[tuple[range, int]]] = defaultdict(list)
        total = 0
        for video in sorted(self._index if videos is None else set(videos)):
            place = self._place(video)
            rows = place.rows(kind)
            if rows:
                spans[place.shard].append((rows, total))
                total += len(rows)
        found = empty_features(total, self.dim)
        with ThreadPoolExecutor() as pool:  # decoding runs outside Python's lock
            for _ in pool.map(lambda shard: self._file(shard).copy(spans[shard], found), spans):
                pass
        return with_text(found)

    def read_split(self, labels: Labels, split: str, *, kind: str | None = None) -> FeatureSet:
        """The clips of the videos that ``labels`` put into ``split``, as ``read`` gives them.

        All of them must be in the store; ``labels.only(store.videos)`` drops those that are not.
        """
        return self.read(kind, labels.videos(split))

    def video(self, name: str, kind: str = TEMPORAL, *, view: str | None = None) -> Tensor:
        """The features (T, D) of one video in time order, decoding only the part of the store around them.

        ``view`` may be left out where the video has one view only.
        """
        import torch  # here, because `veil import`, `export` and `verify` read stores without waiting for it

        return torch.from_numpy(self.video_array(name, kind, view=view))

    def video_array(self, name: str, kind: str = TEMPORAL, *, view: str | None = None) -> np.ndarray:
        """As ``video``, as a numpy array (T, D)."""
        _require_kind(kind)
        place = self._place(name)
        parts, views = [], []
        for group, rows in self._file(place.shard).groups(place.rows(kind)):
            features = self._row_group(place.shard, group)
            parts.append(features.feature[rows])
            views.append(features.view[rows])
        if not parts:
            raise InputError(f"video {name!r} must have {kind} clips in {self.path}, got none.")
        feature, column = np.concatenate(parts), np.concatenate(views)
        known = sorted(set(column.tolist()))
        if view is None and len(known) > 1:
            raise InputError(f"view must be chosen for video {name!r}, got none. It has {', '.join(known)}.")
        if view is not None and view not in known:
            raise InputError(f"view must be one of {', '.join(known)} for video {name!r}, got {view!r}.")
        return feature if view is None else feature[column == view]  # (T, D)

    def batches(
        self, size: int, kind: str = TEMPORAL, videos: Sequence[str] | None = None, *, view: str | None = None
    ) -> Iterator[tuple[list[str], Tensor, Tensor]]:
        """Yield (names, features (B, T, D), mask (B, T)) over the given videos in their order, ``size`` at a time.

        The mask is True where a clip is real. Without ``videos``: all that have clips of this kind, sorted.
        """
        from latentveil.sequences import pad_sequences  # imports torch, see `video`

        if size < 1:
            raise InputError(f"size must be at least 1, got {size}.")
        _require_kind(kind)
        names = (
            [name for name in self.videos if self._index[name].rows(kind)] if videos is None else list(videos)
        )
        for start in range(0, len(names), size):
            chosen = names[start : start + size]
            yield chosen, *pad_sequences([self.video_array(name, kind, view=view) for name in chosen])

    def shards(self) -> Iterator[FeatureSet]:
        """Yield the store shard by shard; drop each one before asking for the next to hold only one in memory."""
        for name in self.manifest.shards:
            yield self.read_shard(name)

    def read_shard(self, name: str) -> FeatureSet:
        """All rows of one shard, sorted by video, kind, view and time."""
        with self.open_shard(name) as shard:
            return shard.read(range(shard.num_rows), dim=self.dim)

    def open_shard(self, name: str, *, memory_map: bool = True) -> OpenShard:
        """A shard whose values are compared with the manifest's checksums as they are read; others are refused."""
        shard = OpenShard(self.path / name, memory_map=memory_map)
        try:
            footer = self._known_footer(name, shard)
            if footer.groups is not None:
                shard.check_groups(footer.groups)
            elif name not in self._checked and shard.content_sha256() != footer.sha256:
                raise damaged(shard.path, "other values than were written")
        except BaseException:
            shard.file.close()
            raise
        self._checked.add(name)
        return shard

    def _known_footer(self, name: str, shard: OpenShard) -> Footer:
        """The footer of an opened shard, which must be the one that the manifest knows."""
        footer, entry = shard.read_footer(), self.manifest.shards[name]
        if footer.sha256 != entry.sha256 or entry.footer_sha256 not in (None, footer.fingerprint):
            raise damaged(shard.path, "a checksum that is not the manifest's")
        if footer.settings_sha256 != self.manifest.settings_sha256:
            raise damaged(shard.path, "other settings than those of the manifest")
        if shard.layout.field("feature").type.list_size != self.dim:
            raise damaged(shard.path, f"features that are not of {self.dim} numbers")
        if (footer.rows, len(footer.videos)) != (entry.rows, entry.videos):
            raise damaged(shard.path, f"not the {entry.rows} rows of {entry.videos} videos of the manifest")
        return footer

    @cached_property
    def _index(self) -> dict[str, Place]:
        """Where each video is, from the shards' footers."""
        index: dict[str, Place] = {}
        for shard in self.manifest.shards:
            with OpenShard(self.path / shard) as opened:
                footer = self._known_footer(shard, opened)
            row = 0
            for video in footer.videos:
                index[video.video] = Place(shard, row, video.static, video.temporal)
                row += video.rows
        return index

    def _place(self, video: str) -> Place:
        if video not in self._index:
            raise InputError(
                f"video must be one of the {len(self._index)} in store {self.path}, got {video!r}."
            )
        return self._index[video]

    def _open(self, shard: str) -> OpenShard:
        return self.open_shard(shard)

    def _read_row_group(self, shard: str, group: int) -> FeatureSet:
        return self._file(shard).read_features(group)


def _require_kind(kind: str | None) -> None:
    if kind is not None and kind not in KINDS:
        raise InputError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
