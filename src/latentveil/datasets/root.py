"""The folder that a data set lies in: its label files are read and its videos are found through this."""

from __future__ import annotations

import csv
import os
from collections.abc import Callable
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from posixpath import basename, splitext
from typing import Any

from latentveil.errors import InputError
from latentveil.files.json_files import parse_json
from latentveil.progress import OnProgress, Progress, silent
from latentveil.video.frames import VIDEO_EXTENSIONS

FOLDERS_BETWEEN_NEWS = 100


@dataclass(frozen=True)
class Finding:
    """Something that is wrong with a data set's folder: what kind of thing, which file or part, and a sentence."""

    kind: str
    where: str
    text: str


class Root:
    """The folder ``path`` of a data set.

    Label files and videos may lie in any folder below it. What is missing or there twice is an error; a ``lenient``
    root notes it in ``findings`` instead, and goes on with what is there.
    """

    def __init__(self, path: str | Path, *, lenient: bool = False, on_progress: OnProgress = silent) -> None:
        self.path = Path(path)
        self.lenient = lenient
        self.on_progress = on_progress
        self.findings: list[Finding] = []
        if not self.path.is_dir():
            raise InputError(f"root must be the folder of a data set, got {path}, which is none.")

    @cached_property
    def files(self) -> list[str]:
        """Every file below the folder, relative to it, with slashes; the upper ones first."""
        found: list[str] = []
        for number, (folder, folders, names) in enumerate(os.walk(self.path, followlinks=True)):
            folders.sort()
            inside = Path(folder).relative_to(self.path).as_posix()
            found += names if inside == "." else [f"{inside}/{name}" for name in names]
            if number % FOLDERS_BETWEEN_NEWS == 0:
                self.on_progress(Progress("looking for files", len(found)))
        self.on_progress(Progress("looking for files", len(found), len(found)))
        return sorted(found, key=lambda file: (file.count("/"), file))

    def has(self, file: str) -> bool:
        """Whether a file is there; ``file`` is relative to the folder."""
        return file in self._known or (self.path / file).is_file()

    def find(self, *patterns: str) -> Path | None:
        """The label file of the first of ``patterns`` that is there (``*`` stands for any letters), or None."""
        for pattern in patterns:
            name = basename(pattern)
            named = self.files if "*" in name else self._by_name.get(name, [])
            for file in named:
                if fnmatch(file, pattern) or fnmatch(file, f"*/{pattern}"):
                    return self.path / file
        return None

    def need(self, *patterns: str) -> Path | None:
        """As ``find``, where the data set cannot do without; only a lenient root gives None."""
        found = self.find(*patterns)
        if found is None:
            names = " or ".join(patterns)
            self.complain("missing file", patterns[0], f"{self.path} must hold {names}, got no such file.")
        return found

    def lines(self, *patterns: str) -> list[str]:
        """The lines of a label file that are not blank, without the white space around them."""
        path = self.need(*patterns)
        lines = [] if path is None else [line.strip() for line in read_text(path).splitlines()]
        return [line for line in lines if line]

    def rows(self, *patterns: str, columns: tuple[str, ...]) -> list[dict[str, str]]:
        """The rows of a CSV file with at least ``columns``."""
        path = self.need(*patterns)
        if path is None:
            return []
        reader = csv.DictReader(read_text(path).splitlines())
        rows = list(reader)
        missing = [name for name in columns if name not in (reader.fieldnames or [])]
        if missing:
            raise InputError(
                f"{path} must have the columns {', '.join(columns)}, got "
                f"{', '.join(reader.fieldnames or []) or 'none'}."
            )
        short = [row for row in rows if any(row[name] is None for name in columns)]
        if short:
            raise InputError(
                f"{path} must have a value for {', '.join(columns)} in each row, got {short[0]}."
            )
        return rows

    def json(self, *patterns: str) -> Any:
        """What a JSON file holds; an empty dict where a lenient root has no such file."""
        path = self.need(*patterns)
        if path is None:
            return {}
        return parse_json(read_text(path), path=path, what="a JSON file")

    def video(
        self,
        key: str,
        *,
        ending: str,
        anywhere: bool = True,
        extensions: frozenset[str] = VIDEO_EXTENSIONS,
    ) -> str:
        """The file called ``key`` with any of ``extensions``; where there is none, ``key`` + ``ending``.

        The folders in ``key`` must be the file's own last folders, unless ``anywhere`` says that names alone tell the
        videos of this data set apart.
        """
        named = [file for file in self._by_stem.get(basename(key), []) if _extension(file) in extensions]
        agree = [file for file in named if f"/{splitext(file)[0]}".endswith(f"/{key}")]
        found = agree or (named if anywhere else [])
        if len(found) > 1:
            self.complain("found twice", key, f"{key} must be there once, got {found[0]} and {found[1]}.")
        return found[0] if found else key + ending

    def media(self, extensions: frozenset[str]) -> list[str]:
        """Every file with one of ``extensions``, sorted."""
        return sorted(file for file in self.files if _extension(file) in extensions)

    def complain(self, kind: str, where: str, text: str) -> None:
        """Note what is wrong, or refuse it."""
        if not self.lenient:
            raise InputError(text)
        self.findings.append(Finding(kind, where, text))

    @cached_property
    def _known(self) -> frozenset[str]:
        return frozenset(self.files)

    @cached_property
    def _by_name(self) -> dict[str, list[str]]:
        return _grouped(self.files, basename)

    @cached_property
    def _by_stem(self) -> dict[str, list[str]]:
        return _grouped(self.files, lambda file: splitext(basename(file))[0])


def read_text(path: Path) -> str:
    """The text of a label file."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(f"{path} must be UTF-8 text, got: {error}.") from error


def _extension(file: str) -> str:
    return splitext(file)[1].lower()


def _grouped(files: list[str], key: Callable[[str], str]) -> dict[str, list[str]]:
    groups: dict[str, list[str]] = {}
    for file in files:
        groups.setdefault(key(file), []).append(file)
    return groups
