"""Writing a store: one run, or several that divide the work, safe against being killed at any moment."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Self
from uuid import uuid4

import numpy as np

from latentveil.errors import InputError
from latentveil.files.outputs import naming_the_file
from latentveil.files.place_files import put_file, sync_folder
from latentveil.files.places import Place, PlaceLike, RemotePath, as_place
from latentveil.store.footer import Footer
from latentveil.store.lock import LOCK_NAME, RUN_NAME, SHARED_RUN, NoLock, committing, lock_of, start_run
from latentveil.store.manifest import (
    MANIFEST_NAME,
    Counts,
    Manifest,
    ShardEntry,
    read_manifest,
    require_same_settings,
    write_manifest,
)
from latentveil.store.presence import WORK_NAME
from latentveil.store.shard import SHARD_PATTERN, ShardRows, to_rows
from latentveil.store.shard_file import read_footer, write_shard_file
from latentveil.types import FeatureSet

# Frame rates that differ by less are the same rate, rounded differently by the containers.
FPS_TOLERANCE = 1e-3


@dataclass(frozen=True)
class ShardWriter:
    """What a worker process needs to add shards to a store; small and picklable, made by ``StoreWriter``."""

    path: Place
    dtype: str
    dim: int
    settings_sha256: str
    run: str

    def write_shard(self, features: FeatureSet) -> str:
        """Write whole videos as one shard, which appears at once or not at all; returns the shard's name.

        Shapes: ``features.feature`` (N, D). The rows may come in any order.
        """
        rows, order = to_rows(features, dtype=self.dtype, dim=self.dim)
        groups = (features.feature[order[group.start : group.stop]] for group in rows.groups)
        return self.write_rows(rows, groups)

    def write_rows(
        self, rows: ShardRows, features: Iterable[np.ndarray], *, source_sha256: str | None = None
    ) -> str:
        """As ``write_shard``, with rows in store order whose ``features`` come as an array (n, D) per row group.

        ``source_sha256`` is the checksum of the shard that this one is derived from.
        """
        with naming_the_file(self.path / rows.name), self._appearing(self.path, rows.name) as temporary:
            write_shard_file(
                temporary, rows, features, settings_sha256=self.settings_sha256, source_sha256=source_sha256
            )
        return rows.name

    @contextmanager
    def _appearing(self, folder: Place, name: str) -> Iterator[Path]:
        """A local file to write, which is put into ``folder`` as a whole at the end."""
        if isinstance(folder, RemotePath):
            with tempfile.TemporaryDirectory(prefix="latentveil-") as here:
                yield Path(here) / name
                put_file(Path(here) / name, folder / name)
            return
        temporary = folder / f".{name}.{uuid4().hex}.tmp"
        try:
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            with committing(folder, self.run):
                os.replace(temporary, folder / name)
        finally:
            temporary.unlink(missing_ok=True)
        sync_folder(folder)


class StoreWriter:
    """The run that writes a store: takes the folder's lock, says what is finished, and completes the manifest.

    Use it as a context manager. Leaving it without ``finish`` keeps every shard: the next run with the same settings
    goes on from there. Readers see what the last ``finish`` saw; a store that was never finished is refused by them.
    Runs that are ``shared`` may write at the same time: they take no lock and divide the videos by claims.
    """

    def __init__(self, path: PlaceLike, manifest: Manifest, *, shared: bool = False) -> None:
        self.path = as_place(path)
        self.manifest = manifest
        self.shared = shared
        self._lock = NoLock() if shared else lock_of(self.path)
        self._run = ""
        self._written: set[str] = set()

    def __enter__(self) -> Self:
        try:
            self.path.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise InputError(
                f"{self.path} must be a folder that can be made, got: {error.strerror}."
            ) from error
        _refuse_foreign_folder(self.path)
        self._lock.acquire()
        try:
            self._run = SHARED_RUN if self.shared else start_run(self.path)
            if not self.shared:
                self.remove_leftovers()
            self.manifest = self._continue_manifest()
            self._written = self.finished_videos()
        except BaseException:
            self._lock.release()
            raise
        return self

    def __exit__(self, *exception: object) -> None:
        self._lock.release()

    def shard_writer(self) -> ShardWriter:
        """The part of this writer that worker processes may use, concurrently."""
        assert self._run, "a StoreWriter writes inside its with block"
        manifest = self.manifest
        return ShardWriter(self.path, manifest.dtype, manifest.dim, manifest.settings_sha256, self._run)

    def finished_videos(self) -> set[str]:
        """The videos that need not be done again, read from the shards themselves."""
        return {video.video for _, footer in self.footers() for video in footer.videos}

    def write_shard(self, features: FeatureSet) -> str:
        """As ``ShardWriter.write_shard``; a video that the store already holds is refused."""
        with self._adding(features.videos):
            return self.shard_writer().write_shard(features)

    def write_rows(
        self, rows: ShardRows, features: Iterable[np.ndarray], *, source_sha256: str | None = None
    ) -> str:
        """As ``ShardWriter.write_rows``; a video that the store already holds is refused."""
        with self._adding([video.video for video in rows.videos]):
            return self.shard_writer().write_rows(rows, features, source_sha256=source_sha256)

    @contextmanager
    def _adding(self, videos: Sequence[str]) -> Iterator[None]:
        """The writing of videos that must be new; they count as written once it is done."""
        known = self._written.intersection(videos)
        if known:
            raise InputError(
                f"each video must be written once, got {min(known)!r} again in store {self.path}."
            )
        yield
        self._written.update(videos)

    def discard_shard(self, name: str) -> None:
        """Remove a shard that is out of date; the store is incomplete until ``finish``."""
        self.manifest = self.manifest.model_copy(update={"complete": False})
        write_manifest(self.path, self.manifest)
        footer = read_footer(self.path / name)
        (self.path / name).unlink()
        self._written.difference_update(video.video for video in footer.videos)

    def footers(self) -> Iterator[tuple[str, Footer]]:
        """Yield (name, footer) of every shard in the folder; one of other settings is refused."""
        paths: list[Place] = [*self.path.glob(SHARD_PATTERN)]
        for path in sorted(paths, key=lambda path: path.name):
            footer = read_footer(path)
            if footer.settings_sha256 != self.manifest.settings_sha256:
                raise InputError(
                    f"shard {path} must be made with the settings of {MANIFEST_NAME}, got others. Move it away."
                )
            yield path.name, footer

    def finish(self) -> Manifest:
        """Count what the shards hold, write the manifest as complete, and return it."""
        assert self._run, "a StoreWriter finishes inside its with block"
        if self.shared and (done := self._finished_by_another()) is not None:
            return done
        found = dict(self.footers())
        if self.shared:
            self._discard_repeated(found)
        shards: dict[str, ShardEntry] = {}
        home: dict[str, str] = {}
        rates: list[float] = []
        temporal = 0
        for name, footer in found.items():
            for video in footer.videos:
                if video.video in home:
                    raise InputError(
                        f"each video must be in one shard, got {video.video!r} in {home[video.video]} and {name}. "
                        "Delete one of them and run again."
                    )
                home[video.video] = name
                temporal += video.temporal
            rates += footer.fps or ()
            shards[name] = ShardEntry(
                rows=footer.rows,
                videos=len(footer.videos),
                num_bytes=(self.path / name).stat().st_size,
                sha256=footer.sha256,
                footer_sha256=footer.fingerprint,
            )
        clips = sum(shard.rows for shard in shards.values())
        counts = Counts(videos=len(home), clips=clips, temporal=temporal, static=clips - temporal)
        self.manifest = self.manifest.model_copy(
            update={"complete": True, "counts": counts, "fps": _common_rate(rates), "shards": shards}
        )
        write_manifest(self.path, self.manifest)
        return self.manifest

    def _finished_by_another(self) -> Manifest | None:
        """The manifest that another run of the same work has completed already."""
        stored = read_manifest(self.path)
        names = {path.name for path in self.path.glob(SHARD_PATTERN)}
        return stored if stored.complete and set(stored.shards) == names else None

    def _discard_repeated(self, found: dict[str, Footer]) -> None:
        """Remove shards whose videos are all in larger ones: two runs did them that could not see each other."""
        home: set[str] = set()
        for name in sorted(found, key=lambda name: (-len(found[name].videos), name)):
            videos = {video.video for video in found[name].videos}
            if videos <= home:
                (self.path / name).unlink(missing_ok=True)
                del found[name]
            home |= videos

    def _continue_manifest(self) -> Manifest:
        """The manifest to go on with: the folder's own if there is one, with the path where the source is now."""
        if not (self.path / MANIFEST_NAME).exists():
            write_manifest(self.path, self.manifest)
            return self.manifest
        stored = read_manifest(self.path)
        require_same_settings(stored, self.manifest, path=self.path)
        backends = {*stored.backend.split("+"), *self.manifest.backend.split("+")}
        return stored.model_copy(
            update={"backend": "+".join(sorted(backends)), "derived_from": self.manifest.derived_from}
        )

    def remove_leftovers(self) -> None:
        """Delete what a killed run had begun to write; nobody else may be writing."""
        for leftover in self.path.glob(".*.tmp"):
            leftover.unlink(missing_ok=True)


def _refuse_foreign_folder(path: Place) -> None:
    """Never mix a store into a folder that holds something else."""
    if (path / MANIFEST_NAME).exists():
        return
    ours = {LOCK_NAME, RUN_NAME, WORK_NAME}
    for entry in path.iterdir():
        if entry.name not in ours and not entry.match(SHARD_PATTERN) and not entry.name.endswith(".tmp"):
            raise InputError(
                f"{path} must be a store, an empty folder or a new one, got {entry.name!r} in it."
            )


def _common_rate(rates: list[float]) -> float | None:
    """The frame rate that all shards share."""
    if not rates or max(rates) > min(rates) * (1 + FPS_TOLERANCE):
        return None
    return round((min(rates) + max(rates)) / 2, 3)
