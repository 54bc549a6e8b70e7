"""What to extract: files, folders and lists become videos, each with the key that names it in the store."""

from __future__ import annotations

import csv
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from io import StringIO
from pathlib import Path

from latentveil.errors import InputError
from latentveil.video.frames import IMAGE_EXTENSIONS, VIDEO_EXTENSIONS

EXTENSIONS = IMAGE_EXTENSIONS | VIDEO_EXTENSIONS
# What `veil datasets prepare` and `veil actors` write beside or above the videos.
VIDEO_LIST, LABELS = "videos.csv", "labels.csv"
VIDEO_FOLDERS = ("", "videos", "images")


@dataclass(frozen=True)
class VideoInput:
    """A file to read and its key in the store."""

    video: str
    path: Path


def collect_videos(places: Iterable[str | Path]) -> list[VideoInput]:
    """The videos that ``places`` name, sorted by key.

    A file has its stem as key. A folder with a list of its videos (`videos.csv`, else `labels.csv`, as
    `veil datasets prepare` and `veil actors` write them) is read by that list: keys are those of the labels, and
    contact sheets and other files that it does not name are no videos; what `labels.csv` names and is not there is
    left out. Any other folder is searched with all below it for known extensions; its files have their path in it,
    without extension, as key. A .txt list has one path per line, a .csv list a column ``path``, or a column ``video``
    that names files beside it or in a folder `videos` or `images` there; both are relative to the list, and a .csv
    column ``video`` gives the key.
    """
    found: dict[str, Path] = {}
    for video in (video for place in places for video in _expand(Path(place))):
        other = found.setdefault(video.video, video.path)
        if other != video.path and other.resolve() != video.path.resolve():
            raise InputError(
                f"every video must have its own key, got {video.video!r} for {other} and {video.path}. "
                "Give the folder above both, or a CSV list with the columns video and path."
            )
    if not found:
        raise InputError("videos must name at least one video or image, got none.")
    return [VideoInput(video, path) for video, path in sorted(found.items())]


def _expand(place: Path) -> Iterator[VideoInput]:
    if place.is_dir():
        return _read_folder(place)
    if not place.is_file():
        raise InputError(f"{place} must be a video, an image, a folder or a list, got nothing there.")
    if place.suffix.lower() == ".csv":
        return _read_csv(place)
    if place.suffix.lower() == ".txt":
        lines = [line.strip() for line in _read_text(place).splitlines()]
        paths = [_path_of(line, place, number) for number, line in enumerate(lines, start=1) if line]
        return (VideoInput(_key(path), place.parent / path) for path in paths)
    return iter([VideoInput(place.stem, place)])


def _read_folder(folder: Path) -> Iterator[VideoInput]:
    """The videos that a folder's own list names; without a list, all files with a known extension."""
    if _names_videos(folder / VIDEO_LIST):
        return _read_csv(folder / VIDEO_LIST)
    if _names_videos(folder / LABELS):
        return _labelled_files(folder / LABELS)
    files = _files_in(folder)
    if not files:
        raise InputError(f"{folder} must hold video or image files, got none with a known extension.")
    return (VideoInput(_key(path.relative_to(folder)), path) for path in files)


def _labelled_files(labels: Path) -> Iterator[VideoInput]:
    """The videos of a labels file that are there; labels may cover more than one folder."""
    listed = list(_read_csv(labels))
    there = [video for video in listed if video.path.is_file()]
    if not there:
        raise InputError(
            f"{labels} must name files that are there, got none of its {len(listed)} videos. Mend its column video, "
            "add a column path, or name the files themselves instead of their folder."
        )
    return iter(there)


def _names_videos(path: Path) -> bool:
    """Whether there is a CSV file with a column ``video``."""
    if not path.is_file():
        return False
    header = _read_text(path).partition("\n")[0]
    return "video" in next(csv.reader([header]), [])


def _files_in(folder: Path) -> list[Path]:
    """The videos and images in a folder and below it, sorted; and folders there that cannot be read.

    Such a folder stands for the videos in it: it fails when it is opened, as a damaged video does.
    """
    found: list[Path] = []

    def note(error: OSError) -> None:
        found.append(Path(error.filename))

    for place, _, names in os.walk(folder, onerror=note):
        paths = (Path(place) / name for name in names)
        found += [path for path in paths if path.suffix.lower() in EXTENSIONS and path.is_file()]
    return sorted(found)


def _key(path: Path) -> str:
    """A relative path without its extension; of an absolute one, or one that leads upwards, the stem alone."""
    if path.is_absolute() or ".." in path.parts:
        return path.stem
    return path.with_suffix("").as_posix()


def _read_text(place: Path) -> str:
    """The text of a list, or an error that names the line which is not UTF-8."""
    content = place.read_bytes()
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise InputError(
            f"{place} must be UTF-8 text, got other bytes in line {line}. Save it as UTF-8."
        ) from error


def _path_of(text: str | None, place: Path, line: int) -> Path:
    """The path in one line of a list, or an error that names the line where there is none."""
    path = Path(text or "")
    if not path.name.strip():
        raise InputError(f"{place} must name a file in line {line}, got {text or 'nothing'}.")
    return path


def _read_csv(place: Path) -> Iterator[VideoInput]:
    reader = csv.DictReader(StringIO(_read_text(place), newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise InputError(f"{place} must be a CSV list, got after line {reader.line_num}: {error}.") from error
    columns = reader.fieldnames or []
    if "path" in columns:
        for line, row in rows:
            path = _path_of(row["path"], place, line)
            yield VideoInput(row.get("video") or _key(path), place.parent / path)
    elif "video" in columns:
        beside: dict[Path, list[Path]] = defaultdict(list)
        for path in _files_in(place.parent):
            beside[path.with_suffix("")].append(path)
        for line, row in rows:
            name = _path_of(row["video"], place, line)
            stems = [place.parent / folder / name for folder in VIDEO_FOLDERS]
            stem = next((stem for stem in stems if stem in beside), stems[0])
            for path in beside.get(stem, [stem]):  # several have one key, which collect_videos refuses
                yield VideoInput(row["video"], path)
    else:
        raise InputError(f"{place} must have a column 'path' or 'video', got {', '.join(columns) or 'none'}.")
