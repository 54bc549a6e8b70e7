"""Who may write into a store folder: one run at a time, and none of the workers an earlier run left behind.

A local folder is locked by the kernel. Behind a URL nothing can be locked: there, runs see each other by their signs of
life (`presence.py`), and a second one leaves. Runs that divide their work (`claims.py`) need neither.
"""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from latentveil.errors import InputError
from latentveil.files.places import Place, RemotePath
from latentveil.store.presence import BEAT_SECONDS, DEAD_SECONDS, Presence

LOCK_NAME = ".lock"
RUN_NAME = ".run"
SHARED_RUN = "shared"  # the name of all runs that divide their work

# A worker that was being forked when its coordinator was killed has the lock for a moment more.
ORPHAN_SECONDS = 5.0

_held: set[int] = set()


def _close_inherited() -> None:
    """A forked worker must not keep the lock of a coordinator that was killed."""
    for descriptor in _held:
        os.close(descriptor)
    _held.clear()


os.register_at_fork(after_in_child=_close_inherited)


class FolderLock:
    """The exclusive right to coordinate writing into a folder; the kernel takes it back when the process dies."""

    def __init__(self, folder: Path, *, name: str = LOCK_NAME) -> None:
        self.folder = folder
        self.name = name
        self.descriptor: int | None = None

    def acquire(self) -> None:
        """Take the lock, or refuse and name the process that has it."""
        descriptor = os.open(self.folder / self.name, os.O_RDWR | os.O_CREAT, 0o666)
        give_up = time.monotonic() + ORPHAN_SECONDS
        while not _try_lock(descriptor):
            holder = os.pread(descriptor, 100, 0).decode(errors="replace").strip()
            if _is_alive(holder) or time.monotonic() > give_up:
                os.close(descriptor)
                raise InputError(
                    f"{self.folder} must have one writing run at a time, got another one "
                    f"(process {holder or '?'}). Wait for it or stop it."
                )
            time.sleep(0.02)
        _require_honest(self.folder / self.name, descriptor)
        _held.add(descriptor)
        os.truncate(descriptor, 0)
        os.pwrite(descriptor, f"{os.getpid()}\n".encode(), 0)
        self.descriptor = descriptor

    def release(self) -> None:
        if self.descriptor in _held:
            fcntl.flock(self.descriptor, fcntl.LOCK_UN)
            _held.discard(self.descriptor)
            os.close(self.descriptor)
        self.descriptor = None


class PresenceLock:
    """As `FolderLock`, for a store behind a URL."""

    def __init__(self, folder: RemotePath) -> None:
        self.folder = folder
        self.presence: Presence | None = None

    def acquire(self) -> None:
        """Say that this run is here, unless another one is; one that gives no sign of life for a minute is dead."""
        presence = Presence(self.folder).__enter__()
        give_up = time.monotonic() + DEAD_SECONDS + BEAT_SECONDS
        while others := list(presence.others()):
            if presence.is_here(others[0]) or time.monotonic() > give_up:
                presence.__exit__()
                raise InputError(
                    f"store {self.folder} must have one writing run at a time, got another one. "
                    "Wait for it or stop it."
                )
            time.sleep(0.5)
        self.presence = presence

    def release(self) -> None:
        if self.presence is not None:
            self.presence.__exit__()
            self.presence.remove_folder()
        self.presence = None


class NoLock:
    """For runs that may write at the same time."""

    def acquire(self) -> None:
        """Nothing is locked."""

    def release(self) -> None:
        """Nothing was locked."""


def lock_of(folder: Place) -> FolderLock | PresenceLock | NoLock:
    """The lock for a single run on a folder."""
    return PresenceLock(folder) if isinstance(folder, RemotePath) else FolderLock(folder)


def _require_honest(file: Path, held: int) -> None:
    """Refuse a file system that grants the lock of ``held`` a second time: it would grant it to another run, too."""
    try:
        second = os.open(file, os.O_RDWR)
    except FileNotFoundError:  # its last holder has just removed it
        return
    if os.fstat(second).st_ino != os.fstat(held).st_ino:
        os.close(second)
        return
    try:
        granted = _try_lock(second)
    finally:
        os.close(second)
    if granted:
        os.close(held)
        raise InputError(
            f"{file.parent} must be on a file system that keeps locks, got one that grants the same lock twice. "
            "Mount the share with locks, or write to a local disk and copy the store."
        )


def start_run(folder: Place) -> str:
    """A new run name; from here on no worker of an earlier run can add a shard to a local folder."""
    run = uuid4().hex
    if isinstance(folder, RemotePath):
        return run
    with _flocked(folder, fcntl.LOCK_EX) as descriptor:
        os.pwrite(descriptor, run.encode(), 0)
    return run


@contextmanager
def committing(folder: Path, run: str) -> Iterator[None]:
    """A moment in which ``run`` is known to be the current one, so that a file may be put in its place."""
    if run == SHARED_RUN:
        yield
        return
    with _flocked(folder, fcntl.LOCK_SH) as descriptor:
        current = os.pread(descriptor, 100, 0).decode()
        if current != run:
            raise InputError(
                f"store {folder} must be written by its latest run, got a worker of an earlier one."
            )
        yield


@contextmanager
def _flocked(folder: Path, mode: int) -> Iterator[int]:
    descriptor = os.open(folder / RUN_NAME, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        fcntl.flock(descriptor, mode)
        yield descriptor
    finally:
        fcntl.flock(
            descriptor, fcntl.LOCK_UN
        )  # closing is not enough while a forked process has the file open too
        os.close(descriptor)


def _try_lock(descriptor: int) -> bool:
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _is_alive(process: str) -> bool:
    try:
        os.kill(int(process), 0)
    except PermissionError:  # it belongs to somebody else
        return True
    except (ProcessLookupError, ValueError, OverflowError):
        return False
    return True
