"""What to extract: files, folders and lists become videos, each with the key that names it in the store."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import PurePath, PurePosixPath

from latentveil.errors import InputError
from latentveil.files.places import (
    Place,
    PlaceLike,
    as_place,
    beside,
    files_below,
    is_same_place,
    is_there,
    path_within,
)
from latentveil.files.regular_files import require_regular_file
from latentveil.video.frames import IMAGE_EXTENSIONS, VIDEO_EXTENSIONS

EXTENSIONS = IMAGE_EXTENSIONS | VIDEO_EXTENSIONS
# What `veil datasets prepare` and `veil actors` write beside or above the videos.
VIDEO_LIST, LABELS = "videos.csv", "labels.csv"
VIDEO_FOLDERS = ("", "videos", "images")


@dataclass(frozen=True)
class VideoInput:
    """A file to read and its key in the store."""

    video: str
    path: Place


def collect_videos(places: Iterable[PlaceLike]) -> list[VideoInput]:
    """The videos that ``places`` name, sorted by key.

    A file has its stem as key. A folder with a list of its videos (`videos.csv`, else `labels.csv`, as
    `veil datasets prepare` and `veil actors` write them) is read by that list: keys are those of the labels, and
    contact sheets and other files that it does not name are no videos; what `labels.csv` names and is not there is
    left out. Any other folder is searched with all below it for known extensions; its files have their path in it,
    without extension, as key. A .txt list has one path per line, a .csv list a column ``path``, or a column ``video``
    that names files beside it or in a folder `videos` or `images` there; both are relative to the list, and a .csv
    column ``video`` gives the key.
    """
    found: dict[str, Place] = {}
    for video in (video for place in places for video in _expand(as_place(place))):
        other = found.setdefault(video.video, video.path)
        if not is_same_place(other, video.path):
            raise InputError(
                f"every video must have its own key, got {video.video!r} for {other} and {video.path}. "
                "Give the folder above both, or a CSV list with the columns video and path."
            )
    if not found:
        raise InputError("videos must name at least one video or image, got none.")
    return [VideoInput(video, path) for video, path in sorted(found.items())]


def _expand(place: Place) -> Iterator[VideoInput]:
    if place.is_dir():
        return _read_folder(place)
    require_regular_file(place, what="a video, an image, a folder or a list")
    if not place.is_file():
        raise InputError(f"{place} must be a video, an image, a folder or a list, got nothing there.")
    if place.suffix.lower() == ".csv":
        return _read_csv(place)
    if place.suffix.lower() == ".txt":
        lines = [line.strip() for line in _read_text(place).splitlines()]
        named = [_name_of(line, place, number) for number, line in enumerate(lines, start=1) if line]
        return (VideoInput(_key(PurePosixPath(name)), beside(place.parent, name)) for name in named)
    return iter([VideoInput(place.stem, place)])


def _read_folder(folder: Place) -> Iterator[VideoInput]:
    """The videos that a folder's own list names; without a list, all files with a known extension."""
    if _names_videos(folder / VIDEO_LIST):
        return _read_csv(folder / VIDEO_LIST)
    if _names_videos(folder / LABELS):
        return _labelled_files(folder / LABELS)
    files = files_below(folder, EXTENSIONS)
    if not files:
        raise InputError(f"{folder} must hold video or image files, got none with a known extension.")
    return (VideoInput(_key(path_within(path, folder)), path) for path in files)


def is_searched(place: Place) -> bool:
    """Whether this is a folder without a list of its videos: whatever lies in it or below counts."""
    return place.is_dir() and not any(_names_videos(place / name) for name in (VIDEO_LIST, LABELS))


def _labelled_files(labels: Place) -> Iterator[VideoInput]:
    """The videos of a labels file that are there; labels may cover more than one folder."""
    listed = list(_read_csv(labels))
    there = [video for video in listed if is_there(video.path)]
    if not there:
        raise InputError(
            f"{labels} must name files that are there, got none of its {len(listed)} videos. Mend its column video, "
            "add a column path, or name the files themselves instead of their folder."
        )
    return iter(there)


def _names_videos(path: Place) -> bool:
    """Whether there is a CSV file with a column ``video``."""
    if not path.is_file():
        return False
    header = _read_text(path).partition("\n")[0]
    try:
        return "video" in next(csv.reader([header]), [])
    except csv.Error as error:
        raise InputError(f"{path} must be a CSV list, got in its first line: {error}.") from error


def _key(path: PurePath) -> str:
    """A relative path without its extension; of one that is absolute, leads upwards or is a URL, the stem."""
    if path.is_absolute() or ".." in path.parts or ":" in path.parts[0]:
        return path.stem
    return path.with_suffix("").as_posix()


def _read_text(place: Place) -> str:
    """The text of a list, or an error that names the line which is not UTF-8."""
    content = place.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{place} must be UTF-8 text, got other bytes in line {line}. Save it as UTF-8."
        ) from error


def _name_of(text: str | None, place: Place, line: int) -> str:
    """The path or URL in one line of a list, or an error that names the line where there is none."""
    if text is None or not PurePosixPath(text).name.strip():
        raise InputError(f"{place} must name a file in line {line}, got {text or 'nothing'}.")
    return text


def _read_csv(place: Place) -> Iterator[VideoInput]:
    reader = csv.DictReader(StringIO(_read_text(place), newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError(f"{place} must be a CSV list, got after line {reader.line_num}: {error}.") from error
    columns = reader.fieldnames or []
    if "path" in columns:
        for line, row in rows:
            path = _name_of(row["path"], place, line)
            yield VideoInput(row.get("video") or _key(PurePosixPath(path)), beside(place.parent, path))
    elif "video" in columns:
        files: dict[Place, list[Place]] = defaultdict(list)
        for found in files_below(place.parent, EXTENSIONS):
            files[found.with_suffix("")].append(found)
        for line, row in rows:
            name = _name_of(row["video"], place, line)
            stems = [place.parent / folder / name for folder in VIDEO_FOLDERS]
            stem = next((stem for stem in stems if stem in files), stems[0])
            for found in files.get(stem, [stem]):  # several have one key, which collect_videos refuses
                yield VideoInput(row["video"], found)
    else:
        raise InputError(f"{place} must have a column 'path' or 'video', got {', '.join(columns) or 'none'}.")
