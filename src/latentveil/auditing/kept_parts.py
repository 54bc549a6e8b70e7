"""The long parts of an audit in the form in which they are kept, and where a stopped audit finds them."""

from __future__ import annotations

from base64 import b64decode, b64encode
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from latentveil.auditing.finished import FinishedWork
from latentveil.auditing.inputs import AuditInputs
from latentveil.auditing.measure import AuditPlan
from latentveil.auditing.pictures import invert_clips
from latentveil.auditing.risks.measure import measure_risks
from latentveil.extraction.inputs import collect_videos
from latentveil.files.places import PlaceLike, as_place
from latentveil.results.audit import Flag, Inversion
from latentveil.results.record import Record
from latentveil.results.risks import Risks


@dataclass(frozen=True, eq=False)
class RisksFound(Record):
    """What `measure_risks` gives."""

    risks: Risks
    flags: list[Flag]


def find_risks(*arguments: Any, **options: Any) -> RisksFound:
    return RisksFound(*measure_risks(*arguments, **options))


@dataclass(frozen=True, eq=False)
class PicturesFound(Record):
    """What `invert_clips` gives; pictures as text."""

    inversion: Inversion
    encoded: dict[str, str]

    @property
    def pictures(self) -> dict[str, bytes]:
        return {caption: b64decode(text) for caption, text in self.encoded.items()}


def find_pictures(*arguments: Any, **options: Any) -> PicturesFound:
    inversion, pictures = invert_clips(*arguments, **options)
    return PicturesFound(inversion, {caption: b64encode(one).decode() for caption, one in pictures.items()})


def finished_before(
    inputs: AuditInputs, plan: AuditPlan, *, videos: str | Path | None, output: PlaceLike | None
) -> FinishedWork:
    """What an earlier audit of the same things, stopped in the same folder, had finished; nothing behind a URL."""
    folder = None if output is None else as_place(output)
    if not isinstance(folder, Path):
        return FinishedWork()
    adapter = None if inputs.adapter is None else inputs.adapter.sha256()
    seen = [] if videos is None else files_seen(videos)
    wanted = replace(plan, attacks=(), finished=FinishedWork())  # attacks tell themselves apart
    return FinishedWork.below(
        folder, inputs.raw, inputs.anonymized, inputs.labels, inputs.timing, adapter, wanted, seen
    )


def files_seen(videos: str | Path) -> Sequence[tuple[str, int, int]]:
    """The files of videos, as far as their names, sizes and times tell."""
    files = [Path(str(video.path)) for video in collect_videos([videos])]
    return [(str(file), file.stat().st_size, file.stat().st_mtime_ns) for file in files if file.is_file()]
