"""Who may write into a store folder: one run at a time, and none of the workers an earlier run left behind."""

from __future__ import annotations

import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from uuid import uuid4

from latentveil.errors import InputError

LOCK_NAME = ".lock"
RUN_NAME = ".run"

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


def start_run(folder: Path) -> str:
    """A new run name; from here on no worker of an earlier run can add a shard."""
    run = uuid4().hex
    with _flocked(folder, fcntl.LOCK_EX) as descriptor:
        os.pwrite(descriptor, run.encode(), 0)
    return run


@contextmanager
def committing(folder: Path, run: str) -> Iterator[None]:
    """A moment in which ``run`` is known to be the current one, so that a file may be put in its place."""
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
