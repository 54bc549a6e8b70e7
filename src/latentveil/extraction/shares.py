"""The videos of a run in shares, one shard each, which any number of runs on one store divide among themselves.

How videos are cut into shares follows from their names alone, so that one process, a pool, a cluster and several runs
at once all write the same shards.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from latentveil.extraction.inputs import VideoInput
from latentveil.extraction.worker import Failed, Finished
from latentveil.store import StoreWriter
from latentveil.store.claims import Claims
from latentveil.store.presence import Presence
from latentveil.types import FeatureSet, concatenate

# A shard is closed early at this many rows, so that long videos do not pile up in memory.
MAX_SHARD_CLIPS = 8192
LOOK_AGAIN_SECONDS = 0.5


@dataclass(frozen=True)
class Share:
    """Videos that go into one shard, in the order of their keys."""

    name: str
    videos: tuple[VideoInput, ...]


def cut_shares(videos: Sequence[VideoInput], shard_videos: int) -> list[Share]:
    """The videos, sorted by key, ``shard_videos`` at a time."""
    parts = [tuple(videos[start : start + shard_videos]) for start in range(0, len(videos), shard_videos)]
    return [Share(_digest([video.video for video in part]), part) for part in parts]


def plan_name(shares: Sequence[Share]) -> str:
    """What runs have to agree on to divide their work."""
    return _digest([share.name for share in shares])


def _digest(names: list[str]) -> str:
    return hashlib.sha256(json.dumps(names).encode()).hexdigest()[:20]


@dataclass
class _OpenShare:
    """A share at work: what has come in so far, in whatever order; ``waiting`` is next in line for a shard."""

    todo: list[VideoInput]
    results: dict[str, Finished | Failed] = field(default_factory=dict)
    waiting: list[FeatureSet] = field(default_factory=list)
    failures: list[Failed] = field(default_factory=list)
    num_passed: int = 0

    @property
    def is_done(self) -> bool:
        return self.num_passed == len(self.todo)

    def pass_on(self) -> Iterator[list[FeatureSet]]:
        """The content of each shard that is full, of the videos that came in without a gap before them."""
        while not self.is_done and self.todo[self.num_passed].video in self.results:
            self._queue(self.results.pop(self.todo[self.num_passed].video))
            self.num_passed += 1
            if sum(map(len, self.waiting)) >= MAX_SHARD_CLIPS or (self.is_done and self.waiting):
                yield self.waiting
                self.waiting = []

    def rest(self) -> list[FeatureSet]:
        """All that is finished and in no shard yet, gaps or not."""
        for result in self.results.values():
            self._queue(result)
        self.results = {}
        return self.waiting

    def _queue(self, result: Finished | Failed) -> None:
        if isinstance(result, Finished):
            self.waiting.append(result.features)
        else:
            self.failures.append(result)


class SharedWork:
    """What one run does of the shares of a store. Leaving its with block keeps every video that is finished."""

    def __init__(self, writer: StoreWriter, presence: Presence, shares: Sequence[Share]) -> None:
        self.writer = writer
        self.shares = {share.name: share for share in shares}
        self.claims = Claims(presence, list(self.shares))
        self._stored = writer.finished_videos()
        self._open: dict[str, _OpenShare] = {}
        self._home: dict[str, str] = {}
        self._next: tuple[str, bool] | None = None

    def __enter__(self) -> SharedWork:
        return self

    def __exit__(self, *exception: object) -> None:
        for name, share in self._open.items():
            self._write(name, share.rest())

    def videos(self) -> Iterator[VideoInput]:
        """Videos to encode, of shares that are claimed as they are needed; ends when none is free."""
        while (taken := self._next or self.claims.take()) is not None:
            self._next = None
            name, of_the_dead = taken
            if of_the_dead:  # which may have stored some of them
                self._stored = self.writer.finished_videos()
            todo = [video for video in self.shares[name].videos if video.video not in self._stored]
            if not todo:
                self.claims.finish(name, {"failures": []})
                continue
            self._open[name] = _OpenShare(todo)
            self._home |= {video.video: name for video in todo}
            yield from todo

    def add(self, result: Finished | Failed) -> None:
        """Take in what became of a video; its share is stored once all of it is there."""
        name = self._home[result.video.video]
        share = self._open[name]
        share.results[result.video.video] = result
        for shard in share.pass_on():
            self._write(name, shard)
        if share.is_done:
            failures = [[failure.video.video, failure.reason] for failure in share.failures]
            self.claims.finish(name, {"failures": failures})
            del self._open[name]

    def wait_for_others(self) -> bool:
        """Wait until all shares are done (False), or until one of a run that died is ours to do (True)."""
        while self.claims.unfinished():
            self._next = self.claims.take()
            if self._next is not None:
                return True
            time.sleep(LOOK_AGAIN_SECONDS)
        return False

    def failures(self) -> list[Failed]:
        """Every video of the plan that failed, in whichever run."""
        inputs = {video.video: video for share in self.shares.values() for video in share.videos}
        notes = self.claims.notes().values()
        return [
            Failed(inputs[key], reason)
            for note in notes
            for key, reason in note.get("failures", ())
            if key in inputs
        ]

    def _write(self, name: str, shard: list[FeatureSet]) -> None:
        """Store a shard, unless this run slept so long that another one took the share over."""
        if shard and self.claims.owns(name):
            self.writer.write_shard(concatenate(shard))
