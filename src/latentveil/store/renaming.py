"""Other names for videos that leave the house: a name may tell who is in the video, and no adapter changes it."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from io import StringIO
from pathlib import Path
from secrets import SystemRandom

from latentveil.errors import InputError
from latentveil.files.csv_files import read_rows
from latentveil.files.outputs import write_whole
from latentveil.files.places import PlaceLike, as_place
from latentveil.notices import notify
from latentveil.store.shard import require_video_key

VIDEO, NAME = "video", "name"
NewNames = Mapping[str, str]  # by the old name


def read_or_draw_names(file: str | Path, videos: Sequence[str]) -> NewNames:
    """The new name of each video, from a CSV with the columns video and name; drawn and written where it is not there.

    Drawn names are numbers in an order that nobody can repeat. The file is the key to them: it stays at home.
    """
    path = Path(file)
    if not path.exists():
        write_whole(path, _as_csv(_drawn(videos)))
        notify(f"{path} has the old and the new name of every video: keep it at home.")
    return read_names(path, videos)


def read_names(path: str | Path, videos: Sequence[str]) -> NewNames:
    """The new name of each video, from a CSV with the columns video and name."""
    rows = read_rows(path, required=[VIDEO, NAME])
    names = {row[VIDEO]: row[NAME] for row in rows}
    missing = sorted(set(videos) - names.keys())
    if missing:
        raise InputError(
            f"{path} must have a name for every video, got none for {len(missing)}, such as {missing[0]!r}."
        )
    chosen = {video: names[video] for video in videos}
    for name in chosen.values():
        require_video_key(name)
    if len(set(chosen.values())) < len(chosen) or len(names) < len(rows):
        raise InputError(f"{path} must give every video one name, and no two the same, got some twice.")
    return chosen


def require_names_elsewhere(file: str | Path, folder: PlaceLike) -> None:
    """Refuse a file of names inside the folder that leaves the house: it is the key to them."""
    place, path = as_place(folder), Path(file).resolve()
    if isinstance(place, Path) and path.is_relative_to(place.resolve()):
        raise InputError(
            f"the file of names must lie outside of {place}, which leaves the house, got {file}. It tells who is in "
            "each video: keep it elsewhere."
        )


def _drawn(videos: Sequence[str]) -> NewNames:
    width = len(str(len(videos)))
    order = SystemRandom().sample(sorted(videos), len(videos))
    return {video: f"v{number:0{width}d}" for number, video in enumerate(order, start=1)}


def _as_csv(names: NewNames) -> str:
    text = StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([VIDEO, NAME])
    writer.writerows(sorted(names.items()))
    return text.getvalue()
