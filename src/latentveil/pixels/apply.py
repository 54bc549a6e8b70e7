"""Videos rewritten by a pixel anonymizer: mp4 files of the same length and rate, one after the other, resumable."""

from __future__ import annotations

import errno
import hashlib
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import combinations
from pathlib import Path

import av
from PIL import Image

from latentveil.errors import InputError, Notice, PluginError, UsageError
from latentveil.extraction.inputs import VideoInput, collect_videos, is_searched
from latentveil.extraction.worker import Failed
from latentveil.files.place_files import local_file
from latentveil.files.places import as_place, is_same_place
from latentveil.files.regular_files import read_file
from latentveil.machine.devices import require_device_name, to_device
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.fit import Videos, as_places
from latentveil.pixels.outcome import Outcome
from latentveil.pixels.request import Span, VideoRequest, is_span
from latentveil.pixels.rewritten import RECORD, AnonymizedVideos, DoneList, claim, target_of
from latentveil.pixels.strays import tell_strays
from latentveil.pixels.told_frames import ToldFrames
from latentveil.progress import OnProgress, Progress, shown
from latentveil.store.lock import FolderLock
from latentveil.video.boxes import Boxes, read_boxes
from latentveil.video.decode import open_video
from latentveil.video.decoding import Decoding
from latentveil.video.sandbox import require_sandbox
from latentveil.video.sound import Sound
from latentveil.video.write import write_timed_video


@dataclass(frozen=True)
class RewriteOptions:
    """How videos are rewritten: the sound copied or dropped, and for each video the spans and boxes, where given.

    ``boxes_out`` and ``review`` name a CSV file of the boxes that were covered, and a page of frames to look at.
    ``sandbox`` and ``decoding`` are those of `extract`.
    """

    keep_sound: bool = False
    spans: Mapping[str, Sequence[Span]] = field(default_factory=dict)
    boxes: str | Path | None = None
    boxes_out: str | Path | None = None
    review: str | Path | None = None
    sandbox: bool = False
    decoding: Mapping[str, float] | None = None


def apply_pixels(
    anonymizer: PixelAnonymizer,
    videos: Videos,
    output: str | Path,
    *,
    options: RewriteOptions | None = None,
    device: str = "cpu",
    progress: bool | OnProgress = True,
) -> AnonymizedVideos:
    """Write every video of ``videos`` (files, folders, lists) to ``output``, rewritten, as `<key>.mp4`.

    Frames keep their times; metadata never comes along. A few frames are in memory at a time. Videos that are done are
    listed in `videos.csv` and skipped by a run that goes on; files that cannot be read are listed as failures.
    """
    options = options or RewriteOptions()
    require_device_name(device)
    _require_use(anonymizer, options)
    folder, places = Path(output), as_places(videos)
    _require_outside(folder, places)
    found = collect_videos(places)
    boxes = read_boxes(options.boxes) if options.boxes is not None else {}
    _require_about("boxes", boxes, found)
    _require_about("spans", options.spans, found)
    anonymizer = to_device(anonymizer, device)
    if anonymizer.plugin.prepare is not None and any(one.video not in boxes for one in found):
        anonymizer.plugin.prepare(anonymizer.network)
    folder.mkdir(parents=True, exist_ok=True)
    lock = FolderLock(folder)
    lock.acquire()
    try:
        if options.boxes_out is not None and not (folder / RECORD).exists():
            _require_no_boxes_yet(options.boxes_out, folder)
        claim(folder, _record(anonymizer, options))
        with shown(progress) as on_progress:
            return _Run(anonymizer, folder, options, boxes=boxes).rewrite(found, on_progress)
    finally:
        lock.release()


class _Run:
    """One run over some videos."""

    def __init__(
        self,
        anonymizer: PixelAnonymizer,
        folder: Path,
        options: RewriteOptions,
        *,
        boxes: Mapping[str, Boxes],
    ) -> None:
        self.anonymizer, self.folder, self.options = anonymizer.eval(), folder, options
        self.decoding = Decoding.of(options.decoding, sandbox=options.sandbox)
        self.done = DoneList(folder)
        self.boxes = boxes
        self.outcome = Outcome(options.boxes_out, options.review, keep=lambda video: video in self.done)

    def rewrite(self, videos: Sequence[VideoInput], on_progress: OnProgress) -> AnonymizedVideos:
        began, num_frames, failures = time.monotonic(), 0, []
        waiting = [video for video in videos if video.video not in self.done]
        self.outcome.tell_gaps([video.video for video in videos if video.video in self.done])
        for number, video in enumerate(waiting):
            state = Progress("rewriting videos", number, len(waiting), video.video)
            on_progress(state)
            try:
                num_frames += self._one(video, partial(_tell_frame, on_progress, state))
            except (UsageError, PluginError):
                raise
            except (InputError, av.FFmpegError) as error:
                if getattr(error, "errno", None) == errno.ENOSPC:
                    raise
                failures.append(Failed.because(video, error))
        on_progress(Progress("rewriting videos", len(waiting), len(waiting)))
        self.outcome.finish()
        return AnonymizedVideos(
            folder=self.folder,
            num_videos=len(waiting) - len(failures),
            num_frames=num_frames,
            num_skipped=len(videos) - len(waiting),
            failures=tuple(failures),
            seconds=time.monotonic() - began,
        )

    def _one(self, video: VideoInput, tell: Callable[[int], None]) -> int:
        """Rewrite one video and return the number of its frames; ``tell`` hears how many were read."""
        with local_file(video.path) as here:
            return self._rewrite(here, video, tell)

    def _rewrite(self, path: Path, video: VideoInput, tell: Callable[[int], None]) -> int:
        source = ToldFrames(open_video(path, decoding=self.decoding), tell)
        target = target_of(self.folder, video.video, image=source.is_image)
        target.parent.mkdir(parents=True, exist_ok=True)
        note = self.outcome.of_video(video.video)
        request = VideoRequest(
            video=video.video,
            spans=tuple(self.options.spans.get(video.video, ())),
            boxes=self.boxes.get(video.video),
            on_boxes=note.keep_boxes,
            on_doubt=note.keep_doubt,
        )
        frames = self.anonymizer.stream(source, request)
        if source.is_image:
            temporary = target.with_suffix(".part")
            Image.fromarray(next(frames).rgb).save(temporary, format="png")
            temporary.replace(target)
            count = 1
        else:
            sound = Sound(path) if self.options.keep_sound else None
            count = write_timed_video(
                target, frames, clock=source.clock, pixel_aspect=source.pixel_aspect, sound=sound
            )
        assert source.last is not None
        tell_strays(request, last=source.last)
        note.commit()
        self.done.add(video.video, target, frames=count)
        return count


def _tell_frame(on_progress: OnProgress, state: Progress, frame: int) -> None:
    """Say how far a video was read."""
    on_progress(replace(state, note=f"{state.note}, frame {frame}"))


def _require_outside(folder: Path, places: Sequence[str | Path]) -> None:
    """Refuse a folder below one that is searched for videos: the next run would rewrite what this one writes."""
    for place in map(as_place, places):
        if isinstance(place, Path) and is_searched(place) and place.resolve() in folder.resolve().parents:
            raise InputError(
                f"output must be outside of {place}, all of which is searched for videos, got {folder}. "
                "Choose a folder beside it."
            )


def _require_about(what: str, named: Mapping[str, object], videos: Sequence[VideoInput]) -> None:
    """Refuse boxes or spans of other videos alone, as a wrong key gives them, and tell of those that nobody reads."""
    given = {video.video for video in videos}
    others = sorted(set(named) - given)
    if named and len(others) == len(named):
        raise InputError(
            f"{what} must name videos by their keys, such as {min(given)!r}, got only others, such as {others[0]!r}. "
            "Mend the column video."
        )
    if others:
        warnings.warn(
            f"The {what} of {len(others)} videos that are not among those given are not used, such as {others[0]!r}.",
            Notice,
            stacklevel=3,
        )


def _require_no_boxes_yet(boxes_out: str | Path, folder: Path) -> None:
    """Refuse a file of another run, whose boxes somebody may have corrected, for a run that begins in ``folder``."""
    if Path(boxes_out).is_file() and Path(boxes_out).stat().st_size:
        raise InputError(
            f"boxes_out must be a new file where {folder} begins, got {boxes_out} of another run: its boxes would be "
            "lost. Name a new one, or delete it."
        )


def _record(anonymizer: PixelAnonymizer, options: RewriteOptions) -> dict[str, object]:
    """What must stay the same for a folder's videos to belong together."""
    made = {name: value for name, value in anonymizer.config.items() if name != "recipe"}
    boxes = None if options.boxes is None else read_file(options.boxes, what="a CSV file of boxes")
    return {
        "anonymizer": made,
        "sha256": anonymizer.sha256(),
        "keep_sound": options.keep_sound,
        "spans": {video: [list(span) for span in spans] for video, spans in sorted(options.spans.items())},
        "boxes_sha256": None if boxes is None else hashlib.sha256(boxes).hexdigest(),
    }


def _require_use(anonymizer: PixelAnonymizer, options: RewriteOptions) -> None:
    """Refuse options about boxes for an anonymizer that knows none, limits that are none, and an impossible sandbox."""
    Decoding.of(options.decoding, sandbox=options.sandbox)
    for name in ("boxes", "boxes_out", "review"):
        if getattr(options, name) is not None and not anonymizer.plugin.has_boxes:
            raise UsageError(
                f"{name} must be left out for {anonymizer.architecture!r}, which covers no regions, got some. "
                "Use cover."
            )
    for video, spans in options.spans.items():
        wrong = [span for span in spans if not is_span(*span)]
        if wrong:
            raise UsageError(f"spans must have 0 <= from < to, got {wrong[0]} for {video!r}.")
    files = {name: getattr(options, name) for name in ("boxes", "boxes_out", "review")}
    for one, other in combinations([name for name, file in files.items() if file is not None], 2):
        if is_same_place(as_place(files[one]), as_place(files[other])):
            raise UsageError(
                f"{other} must be another file than {one}, got {files[one]} for both: one would be lost in the other. "
                "Name a new one."
            )
    if options.sandbox:
        if options.keep_sound:
            raise UsageError(
                "keep_sound must be left out with sandbox, which decodes pictures only, got both."
            )
        require_sandbox()
