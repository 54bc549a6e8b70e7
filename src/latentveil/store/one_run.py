"""One run at a time for verbs that write a folder of results: two would mix what they write."""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import wraps
from pathlib import Path
from typing import ParamSpec, TypeVar

from latentveil.files.outputs import naming_the_file, require_output_folder
from latentveil.files.places import as_place
from latentveil.machine.processes import is_first_process
from latentveil.store.lock import FolderLock

RUNNING = ".running"

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


def one_run_per_output(verb: Callable[Parameters, Result]) -> Callable[Parameters, Result]:
    """The same verb, which refuses at once an ``output`` that cannot be written or that another run is writing."""
    signature = inspect.signature(verb)

    @wraps(verb)
    def run(*arguments: Parameters.args, **options: Parameters.kwargs) -> Result:
        output = signature.bind(*arguments, **options).arguments.get("output")
        folder = None if output is None else as_place(output)
        if (
            not isinstance(folder, Path) or not is_first_process()
        ):  # behind a URL, files appear whole at the end
            return verb(*arguments, **options)
        require_output_folder(folder)
        with one_run_in(folder):
            return verb(*arguments, **options)

    return run


@contextmanager
def one_run_in(folder: Path) -> Iterator[None]:
    """The right to write into ``folder``; nothing of the lock stays behind, nor a folder that was left empty."""
    with naming_the_file(folder):
        folder.mkdir(parents=True, exist_ok=True)
        lock = _lock(folder)
    try:
        yield
    finally:
        (folder / RUNNING).unlink(missing_ok=True)
        lock.release()
        with suppress(OSError):  # there is something in it, as there should be
            folder.rmdir()


def _lock(folder: Path) -> FolderLock:
    """The lock on the file that is there now: the one that was opened may have been removed by its last holder."""
    while True:
        lock = FolderLock(folder, name=RUNNING)
        lock.acquire()
        with suppress(FileNotFoundError):
            assert lock.descriptor is not None
            if os.fstat(lock.descriptor).st_ino == (folder / RUNNING).stat().st_ino:
                return lock
        lock.release()
