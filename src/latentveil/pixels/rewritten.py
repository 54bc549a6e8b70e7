"""A folder of rewritten videos: the list of those that are done, and the record of who made them."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from latentveil.errors import InputError
from latentveil.extraction.inputs import VIDEO_LIST
from latentveil.extraction.worker import Failed
from latentveil.files.differences import differences
from latentveil.files.json_files import read_json
from latentveil.files.outputs import write_whole, written_whole
from latentveil.store.shard import require_video_key

RECORD = "anonymized.json"
COLUMNS = ("video", "path", "frames")


@dataclass(frozen=True)
class AnonymizedVideos:
    """What a run did: ``num_videos`` files of ``num_frames`` are new in ``folder``, ``num_skipped`` were there."""

    folder: Path
    num_videos: int
    num_frames: int
    num_skipped: int
    failures: tuple[Failed, ...]
    seconds: float

    def to_dict(self) -> dict[str, Any]:
        """For the command line's JSON."""
        return {
            "videos": str(self.folder),
            "num_videos": self.num_videos,
            "num_frames": self.num_frames,
            "num_skipped": self.num_skipped,
            "failures": [{"video": one.video.video, "reason": one.reason} for one in self.failures],
            "seconds": round(self.seconds, 3),
        }


class DoneList:
    """The videos of a folder that are whole: `videos.csv`, which `veil extract` reads, so that keys stay the same."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._path = folder / VIDEO_LIST
        self._done = {row["video"]: row for row in self._rows() if (folder / row["path"]).is_file()}
        self._rewrite()

    def __contains__(self, video: str) -> bool:
        return video in self._done

    def add(self, video: str, path: Path, *, frames: int) -> None:
        """Note that the file of a video is there, whole."""
        with open(self._path, "a", newline="", encoding="utf-8") as file:
            self._writer(file).writerow(
                {"video": video, "path": path.relative_to(self.folder).as_posix(), "frames": frames}
            )

    def _rows(self) -> list[dict[str, str]]:
        """The lines that are whole: a run that was killed may have left half a line at the end."""
        if not self._path.is_file():
            return []
        with open(self._path, newline="", encoding="utf-8") as file:
            return [row for row in csv.DictReader(file) if None not in row.values() and None not in row]

    def _rewrite(self) -> None:
        with (
            written_whole(self._path) as temporary,
            open(temporary, "w", newline="", encoding="utf-8") as file,
        ):
            writer = self._writer(file)
            writer.writeheader()
            writer.writerows(self._done.values())

    def _writer(self, file: Any) -> csv.DictWriter[str]:
        return csv.DictWriter(file, COLUMNS, lineterminator="\n")


def claim(folder: Path, record: dict[str, Any]) -> None:
    """Note in the folder what made its videos, or make sure that it was the same: no folder holds a mixture."""
    path = folder / RECORD
    if path.exists():
        found = read_json(path, what="the record of rewritten videos")
        if not isinstance(found, dict):
            raise InputError(
                f"{path} must be the record of rewritten videos, got another file. Choose another folder."
            )
        told = differences({name: found.get(name) for name in record}, record)
        if told:
            raise InputError(
                f"{folder} must hold videos of one anonymizer and the same options: {told}. Choose another folder."
            )
        return
    others = sorted(one.name for one in folder.iterdir() if not one.name.startswith("."))
    if others:
        raise InputError(
            f"{folder} must be a new folder, or one of a run that was stopped, got one that holds {others[0]!r}. "
            "Choose another folder."
        )
    write_whole(path, json.dumps(record, indent=2) + "\n")


def target_of(folder: Path, video: str, *, image: bool) -> Path:
    """Where the rewritten file of a video goes; keys with folders in them make folders."""
    require_video_key(video)
    return folder / f"{video}.{'png' if image else 'mp4'}"
