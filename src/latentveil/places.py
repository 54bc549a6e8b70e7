"""Places: files and folders of this machine as `pathlib.Path`, and those behind a URL (`s3://…`) in the same words.

This is the one file that knows the difference. A local path stays what it is and as fast as it is; a URL goes through
fsspec, which knows where to find keys and servers (for S3: the environment variables AWS_…).
"""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PurePosixPath
from typing import IO, Any, TypeAlias
from uuid import uuid4

from latentveil.errors import InputError, UsageError

# `Path` folds the two slashes of a URL into one; a drive has one letter, a protocol has more.
_URL = re.compile(r"^([a-zA-Z][a-zA-Z0-9+.-]+):/{1,2}")
_INSTALL = {"s3": "latentveil[s3]", "s3a": "latentveil[s3]", "gs": "gcsfs", "gcs": "gcsfs", "abfs": "adlfs"}
READ_AHEAD_BYTES = 1 << 20  # about a row group
LOCAL_PROTOCOLS = ("file", "local")


@dataclass(frozen=True)
class FileSize:
    """What is asked of a file's status."""

    st_size: int


@dataclass(frozen=True, order=True)
class RemotePath:
    """A file or folder behind a URL. What is written there appears whole or not at all, and nothing is ever renamed."""

    protocol: str
    key: str

    def __str__(self) -> str:
        return f"{self.protocol}://{self.key}"

    def __truediv__(self, name: str | PurePosixPath) -> RemotePath:
        return RemotePath(self.protocol, f"{self.key.rstrip('/')}/{name}")

    @property
    def name(self) -> str:
        return PurePosixPath(self.key).name

    @property
    def stem(self) -> str:
        return PurePosixPath(self.key).stem

    @property
    def suffix(self) -> str:
        return PurePosixPath(self.key).suffix

    @property
    def parent(self) -> RemotePath:
        return RemotePath(self.protocol, self.key.rstrip("/").rpartition("/")[0])

    def with_suffix(self, suffix: str) -> RemotePath:
        return RemotePath(self.protocol, str(PurePosixPath(self.key).with_suffix(suffix)))

    def relative_to(self, folder: RemotePath) -> PurePosixPath:
        return PurePosixPath(self.key).relative_to(folder.key)

    def resolve(self) -> RemotePath:
        return self

    def match(self, pattern: str) -> bool:
        return fnmatch(self.name, pattern)

    def exists(self) -> bool:
        return self._system.exists(self.key)

    def is_file(self) -> bool:
        return self._system.isfile(self.key)

    def is_dir(self) -> bool:
        return self._system.isdir(self.key)

    def mkdir(self, **_: bool) -> None:
        """Nothing: a folder of an object store is there as soon as something is in it."""

    def stat(self) -> FileSize:
        return FileSize(int(self._system.size(self.key)))

    def open(self) -> IO[bytes]:
        """The file, open for reading here and there in it."""
        return self._system.open(self.key, "rb", block_size=READ_AHEAD_BYTES)

    def read_bytes(self) -> bytes:
        return self._system.cat_file(self.key)

    def write_bytes(self, content: bytes) -> None:
        self._system.pipe_file(self.key, content)

    def unlink(self, missing_ok: bool = False) -> None:
        try:
            self._system.rm_file(self.key)
        except FileNotFoundError:
            if not missing_ok:
                raise

    def iterdir(self) -> Iterator[RemotePath]:
        """What is in the folder; one that does not exist is empty, as on an object store all are until written to."""
        try:
            found = self._system.ls(self.key, detail=False, refresh=True)
        except FileNotFoundError:
            return
        for key in sorted(found):
            place = self._sibling(key)
            if place.key.rstrip("/") != self.key.rstrip("/"):
                yield place

    def glob(self, pattern: str) -> Iterator[RemotePath]:
        return (place for place in self.iterdir() if place.match(pattern))

    def rglob(self, pattern: str) -> Iterator[RemotePath]:
        """The files below, at any depth."""
        for key in sorted(self._system.find(self.key)):
            if fnmatch(PurePosixPath(key).name, pattern):
                yield self._sibling(key)

    @property
    def _system(self) -> Any:
        return file_system(self.protocol)

    def _sibling(self, key: str) -> RemotePath:
        """A key as the file system writes it, as one of ours; some begin with a slash that we leave out."""
        return RemotePath(self.protocol, key if self.key.startswith("/") else key.lstrip("/"))


Place: TypeAlias = Path | RemotePath
PlaceLike: TypeAlias = str | Path | RemotePath


def as_place(given: PlaceLike) -> Place:
    """The place that a text, a path or a URL stands for; `file://` is local."""
    if isinstance(given, RemotePath):
        return given
    found = _URL.match(str(given))
    if found is None:
        return Path(given)
    protocol, key = found[1].lower(), str(given)[found.end() :]
    if protocol in LOCAL_PROTOCOLS:
        return Path("/" + key.lstrip("/"))
    if protocol not in _protocols():
        return Path(given)
    return RemotePath(protocol, key.strip("/"))


@cache
def _protocols() -> frozenset[str]:
    from fsspec import available_protocols

    return frozenset(available_protocols())


@cache
def file_system(protocol: str) -> Any:
    """What fsspec has for a protocol, without a memory of listings: others write there, too."""
    from fsspec import filesystem

    try:
        return filesystem(protocol, use_listings_cache=False)
    except ImportError as error:
        package = _INSTALL.get(protocol, "the package that fsspec names for it")
        raise UsageError(
            f"{protocol}:// must have its package installed, got none. Run `pip install {package}`."
        ) from error
    except ValueError as error:
        raise UsageError(f"{protocol}:// must be a protocol of fsspec, got: {error}.") from error


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

    Files go up in the order of their names, config.json last, so that whoever finds it finds the rest.
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
            files = sorted(path for path in copy.rglob("*") if path.is_file())
            for path in sorted(files, key=lambda path: path.name == "config.json"):
                system.put_file(str(path), (place / path.relative_to(copy).as_posix()).key)


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
