"""What is done with files wherever they are: written whole, created once, copied here, sent there, deleted."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from uuid import uuid4

from latentveil.errors import InputError
from latentveil.files.places import Place, RemotePath, file_system

SAVING = ".saving"  # there while the files of a folder are written or sent, and after a kill in the middle
_HALF_WRITTEN = re.compile(r"\..+\.[0-9a-f]{32}\.tmp")


def replace_file(place: Place, content: bytes) -> None:
    """Write a small file whole or not at all, and so that it survives a power cut."""
    if isinstance(place, RemotePath):
        place.write_bytes(content)
        return
    temporary = place.with_name(f".{place.name}.{uuid4().hex}.tmp")
    try:
        with open(temporary, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, place)
    finally:
        temporary.unlink(missing_ok=True)
    sync_folder(place.parent)


def remove_halves(folder: Path) -> None:
    """Delete what killed runs had begun to write with `replace_file`; nobody else may be writing there."""
    for path in folder.glob(".*.tmp"):
        if _HALF_WRITTEN.fullmatch(path.name):
            path.unlink(missing_ok=True)


def create_file(place: Place, content: bytes) -> bool:
    """Write a small file that nobody has written yet; False where somebody has. One of many callers wins."""
    if isinstance(place, RemotePath):
        try:
            file_system(place.protocol).pipe_file(place.key, content, mode="create")
        except OSError as error:
            if isinstance(error, FileExistsError) or "PreconditionFailed" in repr(error) or place.exists():
                return False
            raise
        return True
    temporary = place.with_name(f".{place.name}.{uuid4().hex}.tmp")
    temporary.write_bytes(content)
    try:
        os.link(temporary, place)  # with its content, or not at all
    except FileExistsError:
        return False
    except OSError:  # a file system without links
        return _create_then_write(place, content)
    finally:
        temporary.unlink(missing_ok=True)
    return True


def _create_then_write(path: Path, content: bytes) -> bool:
    try:
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    except FileExistsError:
        return False
    with open(descriptor, "wb") as file:
        file.write(content)
    return True


def require_exclusive(folder: Place) -> None:
    """Refuse a place where two can both create the same file: work could be done twice there, or written over."""
    probe = folder / f".probe-{uuid4().hex}"
    try:
        first = create_file(probe, b"first")
        second = create_file(probe, b"second")
        content = probe.read_bytes()
    finally:
        with suppress(OSError):
            probe.unlink(missing_ok=True)
    if not first or second or content != b"first":
        raise InputError(
            f"{folder} must refuse to create a file that is there, got one created twice. This share or server lies "
            "about it, so that runs could not keep out of each other's way: use another one (NFS 3 or newer, a local "
            "disk, an object store with conditional writes)."
        )


def sync_folder(folder: Path) -> None:
    """Make the renames in ``folder`` survive a power cut."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


@contextmanager
def local_file(place: Place) -> Iterator[Path]:
    """A file to read on this machine: itself, or a copy for as long as it is needed."""
    if isinstance(place, Path):
        yield place
        return
    with tempfile.TemporaryDirectory(prefix="latentveil-") as folder:
        copy = Path(folder) / place.name
        file_system(place.protocol).get_file(place.key, str(copy))
        yield copy


@contextmanager
def local_folder(place: Place, *, upload: bool = False) -> Iterator[Path]:
    """A folder on this machine: itself, or a copy of the files in it; ``upload`` sends back what was written.

    Files go up in the order of their names, config.json last, so that whoever finds it finds the rest. A mark is there
    for as long as they go up, so that whoever comes after a kill knows that what is there may be replaced.
    """
    if isinstance(place, Path):
        yield place
        return
    system = file_system(place.protocol)
    with tempfile.TemporaryDirectory(prefix="latentveil-") as folder:
        copy = Path(folder) / (place.name or "root")
        copy.mkdir()
        for source in place.rglob("*"):
            target = copy / source.relative_to(place)
            target.parent.mkdir(parents=True, exist_ok=True)
            system.get_file(source.key, str(target))
        yield copy
        if upload:
            (place / SAVING).write_bytes(b"")
            files = sorted(path for path in copy.rglob("*") if path.is_file() and path.name != SAVING)
            for path in sorted(files, key=lambda path: path.name == "config.json"):
                system.put_file(str(path), (place / path.relative_to(copy).as_posix()).key)
            (place / SAVING).unlink()


def put_file(local: Path, place: RemotePath) -> None:
    """Send a local file to its place, where it appears whole."""
    file_system(place.protocol).put_file(str(local), place.key)


def remove_tree(place: Place) -> None:
    """Delete a folder and all below it; what is gone already is no error."""
    if isinstance(place, Path):
        shutil.rmtree(place, ignore_errors=True)
        return
    with suppress(FileNotFoundError):
        file_system(place.protocol).rm(place.key, recursive=True)
