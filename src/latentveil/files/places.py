"""Places: files and folders of this machine as `pathlib.Path`, and those behind a URL (`s3://…`) in the same words.

This is the one file that knows the difference. A local path stays what it is and as fast as it is; a URL goes through
fsspec, which knows where to find keys and servers (for S3: the environment variables AWS_…).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cache
from pathlib import Path, PurePath, PurePosixPath
from typing import IO, Any, TypeAlias

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

    def __truediv__(self, name: str | PurePath) -> RemotePath:
        return RemotePath(self.protocol, f"{self.key.rstrip('/')}/{name}") if str(name) else self

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


def local_path(given: str | Path, *, name: str) -> Path:
    """A path of this machine, for what only goes there; ``Path`` would make a folder called `s3:` of a URL."""
    place = as_place(given)
    if isinstance(place, RemotePath):
        raise UsageError(f"{name} must be a path of this machine, got {place}. Copy it there afterwards.")
    return place


def files_below(folder: Place, suffixes: Collection[str]) -> list[Place]:
    """The files in a folder and below it whose names end in one of ``suffixes`` (lower case), sorted.

    Folders there that cannot be read stand for the files in them: they fail when they are opened, as damaged files do,
    and as links to nothing, pipes and devices do that have such a name.
    """
    if isinstance(folder, RemotePath):
        return [file for file in folder.rglob("*") if file.suffix.lower() in suffixes]
    found: list[Place] = []

    def note(error: OSError) -> None:
        found.append(Path(error.filename))

    for parent, _, names in os.walk(folder, onerror=note):
        files = (Path(parent) / name for name in names)
        found += [file for file in files if file.suffix.lower() in suffixes]
    return sorted(found, key=str)


def require_no_folder(place: Place) -> None:
    """Refuse a folder among the files that `files_below` found, with the reason why nobody could look into it."""
    if not isinstance(place, Path) or not place.is_dir():
        return
    try:
        next(place.iterdir(), None)
        reason = "no file itself"
    except OSError as error:
        reason = str(error.strerror)
    raise InputError(f"{place} must be a folder that can be read, got: {reason}.")


def is_there(place: Place) -> bool:
    """Whether a place has anything but a folder, be it a link to nothing; whoever opens it says what is wrong then."""
    return place.is_file() or (isinstance(place, Path) and os.path.lexists(place) and not place.is_dir())


def is_same_place(place: Place, other: Place) -> bool:
    """Whether two names, links followed, are of one place; names that no system takes are of nothing."""
    try:
        return place == other or place.resolve() == other.resolve()
    except (OSError, RuntimeError, ValueError):  # a loop of links, a null character
        return False


def path_within(place: Place, folder: Place) -> PurePath:
    """The way to a place from a folder above it."""
    return PurePosixPath(str(place)).relative_to(PurePosixPath(str(folder)))


def beside(folder: Place, name: str) -> Place:
    """The place that a list in ``folder`` names: relative to it, or wherever an absolute path or a URL leads."""
    place = as_place(name)
    return place if isinstance(place, RemotePath) or place.is_absolute() else folder / name


@cache
def _protocols() -> frozenset[str]:
    from fsspec import available_protocols

    return frozenset(available_protocols())


class _Answering:
    """A file system whose server's own errors (no connection, no keys) are sentences; those of files stay OSErrors."""

    def __init__(self, system: Any, protocol: str) -> None:
        self._asked = system
        self._protocol = protocol

    def __getattr__(self, name: str) -> Callable[..., Any]:
        ask = getattr(self._asked, name)

        def answer(*arguments: Any, **options: Any) -> Any:
            try:
                return ask(*arguments, **options)
            except OSError:
                raise
            except Exception as error:  # each kind of server has a library with errors of its own
                raise InputError(
                    f"{self._protocol}:// must answer, got {type(error).__name__}: {error}. "
                    "Check the address, the keys and the network."
                ) from error

        return answer


@cache
def file_system(protocol: str) -> Any:
    """What fsspec has for a protocol, without a memory of listings: others write there, too."""
    from fsspec import filesystem

    try:
        return _Answering(filesystem(protocol, use_listings_cache=False, skip_instance_cache=True), protocol)
    except ImportError as error:
        package = _INSTALL.get(protocol, "the package that fsspec names for it")
        raise InputError(
            f"{protocol}:// must have its package installed, got none. Run `pip install {package}`."
        ) from error
    except ValueError as error:
        raise UsageError(f"{protocol}:// must be a protocol of fsspec, got: {error}.") from error
