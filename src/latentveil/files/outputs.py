"""Files that appear whole or not at all, in folders that are checked before the work begins."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Sequence, Set
from contextlib import contextmanager
from pathlib import Path

from latentveil.errors import InputError
from latentveil.files.json_files import read_json
from latentveil.files.place_files import replace_file
from latentveil.files.places import Place, PlaceLike, as_place

# A folder that does not take this much has no room for results either.
PROBE_BYTES = 1 << 16


def require_output_folder(folder: Place) -> None:
    """Refuse, before any work, a folder that cannot be made or written; nothing of it stays behind."""
    if not isinstance(folder, Path):
        return  # an object store has no folders; what cannot be written there says so
    folder = folder.absolute()
    nearest = next(place for place in (folder, *folder.parents) if os.path.lexists(place))
    if not nearest.is_dir():
        raise InputError(f"{folder} must be a folder, got a file at {nearest}. Choose another place.")
    try:
        with tempfile.TemporaryFile(dir=nearest) as probe:
            probe.write(bytes(PROBE_BYTES))
            probe.flush()
    except OSError as error:
        raise not_writable(folder, error) from error


def require_own_results(
    folder: Place, record: str, *, keys: Set[str], others: Sequence[str], what: str
) -> None:
    """Refuse a folder where results of ``what`` would be written over files of somebody else.

    Ours are a ``record`` in JSON with these ``keys``, and ``others`` beside it.
    """
    if not (folder / record).exists():
        for name in others:
            if (folder / name).exists():
                raise InputError(
                    f"{folder / name} must be of {what} to be replaced, got one without {record} beside it. "
                    "Choose another folder."
                )
        return
    try:
        found = read_json(folder / record, what=what)
    except InputError:
        found = None
    if not isinstance(found, dict) or not keys <= set(found):
        raise InputError(
            f"{folder / record} must be of {what} to be replaced, got another file. Choose another folder."
        )


@contextmanager
def written_whole(path: str | Path) -> Iterator[Path]:
    """Yield a hidden name beside ``path`` to write to, which becomes ``path`` when the block ends well.

    Otherwise it is removed; what a killed run left there is overwritten by the next one.
    """
    path = Path(path)
    temporary = path.with_name(f".{path.name}.tmp")
    try:
        with naming_the_file(path):
            yield temporary
            with open(temporary, "rb+") as file:
                os.fsync(file.fileno())
            os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole(path: PlaceLike, content: str | bytes) -> None:
    """Write a file of text (UTF-8) or bytes in one step."""
    with naming_the_file(path):
        replace_file(as_place(path), content.encode() if isinstance(content, str) else content)


@contextmanager
def naming_the_file(path: PlaceLike) -> Iterator[None]:
    """Errors of the system, such as a full disk, as a sentence that names ``path``."""
    try:
        yield
    except OSError as error:
        raise not_writable(path, error) from error


def not_writable(path: PlaceLike, error: OSError) -> InputError:
    reason = error.strerror or str(error).partition("\n")[0]
    return InputError(
        f"{path} must be writable, got: {reason}. Make room or give permission there, or choose another place."
    )
