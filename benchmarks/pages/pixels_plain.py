"""How many faces stay uncovered, with and without tracking: `python -m benchmarks.pages.pixels_plain WORK`.

Renders videos of `actors`, whose true boxes are known, finds faces in every frame once, and counts what each way of
covering them misses. What was found stays in the folder WORK, so that a run that was stopped goes on.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from latentveil.actors.sets.write import write_dataset
from latentveil.extraction.inputs import collect_videos
from latentveil.labels import Labels
from latentveil.metrics.intervals import SHARE, interval_over_groups, mean_of
from latentveil.pixels.cover import CoverOptions
from latentveil.pixels.detectors.base import DETECTORS, Detector
from latentveil.pixels.tracking import Following, follow, single_frames
from latentveil.types import Interval
from latentveil.video.boxes import FILLED, Boxes, area, grow, overlap, read_boxes
from latentveil.video.decode import open_video

SEED = 2  # settings were chosen on the people of seeds 0 and 1
SIZE = 224
USUAL = CoverOptions()
COVERED = 0.95  # a face is covered if so much of it, from brows to lips, lies in one box


@dataclass(frozen=True)
class Way:
    """A way to cover faces: a name, how boxes are joined, and the margin."""

    name: str
    join: Callable[..., Boxes]
    following: Following
    margin: float


@dataclass(frozen=True)
class Misses:
    """What a way misses: shares over frames that show a face, and how much of all pictures it covers."""

    way: str
    recall: Interval
    videos_with_a_miss: float
    longest: int
    picture: float


def ways(detector: Detector) -> list[Way]:
    """The method `cover` as it is, and what is left of it without this or that."""
    usual = Following(detector.sure, detector.unsure, USUAL.gap_frames, USUAL.tail_frames)
    margin = USUAL.margin
    return [
        Way("frame by frame", single_frames, usual, margin),
        Way("frame by frame, no margin", single_frames, usual, 0.0),
        Way("frame by frame, every faint box", single_frames, replace(usual, sure=usual.unsure), margin),
        Way("tracked", follow, usual, margin),
        Way("tracked, no margin", follow, usual, 0.0),
        Way("tracked, no tails", follow, replace(usual, tail_frames=0), margin),
    ]


def found_in(path: Path, video: str, detector: Detector, kept: Path) -> list[np.ndarray]:
    """The boxes (K, 5) of each frame, from the file ``kept``, or found now."""
    if not kept.exists():
        find = detector.start({})
        frames = [find(frame.rgb, video=video, frame=frame.index) for frame in open_video(path).frames()]
        counts = np.array([len(boxes) for boxes in frames])
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.savez(kept, counts=counts, boxes=np.concatenate(frames))
    with np.load(kept) as saved:
        return np.split(saved["boxes"], np.cumsum(saved["counts"])[:-1])


def missed(truth: Boxes, covered: Boxes, *, margin: float) -> tuple[np.ndarray, np.ndarray]:
    """The frames with a face, and whether one of theirs is not covered (both (F,))."""
    frames = np.unique(truth.frame)
    misses = []
    for frame in frames:
        faces, boxes = truth.at(frame).corners, covered.at(frame)
        grown = _as_painted(boxes, margin)
        share = overlap(faces, grown) / area(faces)[:, None]
        misses.append(not len(grown) or bool((share.max(axis=1) < COVERED).any()))
    return frames, np.array(misses, dtype=bool)


def longest_run(frames: np.ndarray, misses: np.ndarray) -> int:
    """The most frames in succession with a miss."""
    longest = run = 0
    before = None
    for frame in frames[misses].tolist():
        run = run + 1 if before is not None and frame == before + 1 else 1
        before, longest = frame, max(longest, run)
    return longest


def measure(work: Path, *, num_videos: int, detector: Detector) -> tuple[list[Misses], dict[str, int]]:
    """The misses of every way, and how much they were counted on."""
    folder = write_dataset(work / "videos", num_videos=num_videos, size=SIZE, seed=SEED)
    labels, truth = Labels.read(folder / "labels.csv"), read_boxes(folder / "boxes.csv")
    people = dict(zip(labels.video.tolist(), labels.column("person").tolist()))
    faces = {video: boxes.labelled("face") for video, boxes in truth.items()}
    shown = [one for one in collect_videos([folder]) if len(faces.get(one.video, ()))]
    found = {
        one.video: found_in(
            Path(str(one.path)), one.video, detector, work / detector.name / f"{one.video}.npz"
        )
        for one in shown
    }
    results = [_misses(way, faces, found, people) for way in ways(detector)]
    counts = {
        "videos": len(found),
        "people": len({people[video] for video in found}),
        "frames": sum(len(np.unique(faces[video].frame)) for video in found),
    }
    return results, counts


def _misses(
    way: Way, faces: dict[str, Boxes], found: dict[str, list[np.ndarray]], people: dict[str, str]
) -> Misses:
    every, groups, pictures, runs, with_a_miss = [], [], [], [], 0
    for video, boxes in found.items():
        covered = way.join(boxes, way.following, label="face")
        frames, misses = missed(faces[video], covered, margin=way.margin)
        every.append(~misses)
        groups += [people[video]] * len(misses)
        with_a_miss += bool(misses.any())
        runs.append(longest_run(frames, misses))
        pictures.append(area(_as_painted(covered, way.margin)).sum() / (len(boxes) * SIZE**2))
    recall = interval_over_groups(mean_of(np.concatenate(every)), np.array(groups), seed=0, limits=SHARE)
    return Misses(way.name, recall, with_a_miss / len(found), max(runs), float(np.mean(pictures)))


def _as_painted(boxes: Boxes, margin: float) -> np.ndarray:
    """Boxes (M, 4) as the method `cover` paints them: twice the margin where they were filled in."""
    return grow(boxes.corners, np.where(boxes.score == FILLED, 2, 1)[:, None] * margin)


def render_page(results: Sequence[Misses], counts: dict[str, int], *, detector: Detector) -> str:
    """The page in Markdown."""
    lines = [
        "# Recall of covered faces",
        "",
        "Written by `python -m benchmarks.pages.pixels_plain WORK`; do not edit.",
        "",
        f"On `actors`, where the true boxes are known: {counts['frames']} frames with a face in {counts['videos']} "
        f"videos of {counts['people']} people, {SIZE} px. Detector: `{detector.name}`. A face counts where it looks "
        "away from the camera by no more than 60 degrees, and as covered where at least "
        f"{COVERED:.0%} of it, from brows to lips, lies in one covered box. Recall is the share of frames in which "
        "every face is covered, with a 95 % interval over people. The settings were chosen on "
        "videos of other people.",
        "",
        "| faces are covered | recall | frames with a miss | videos with a miss | longest miss | part of the picture |",
        "|---|---|---|---|---|---|",
    ]
    for one in results:
        recall = one.recall
        lines.append(
            f"| {one.way} | {recall.value:.3f} [{recall.low:.3f}, {recall.high:.3f}] | {1 - recall.value:.1%} "
            f"| {one.videos_with_a_miss:.1%} | {one.longest} frames | {one.picture:.2%} |"
        )
    best, single = _named(results, "tracked"), _named(results, "frame by frame")
    lines += [
        "",
        f"Boxes grow by {USUAL.margin:.0%} of their size on every side unless the line says otherwise. Tracking "
        f"brings the frames with a miss from {1 - single.recall.value:.1%} to {1 - best.recall.value:.1%}, and covers "
        f"{best.picture / max(single.picture, 1e-9):.1f} times as much of the picture.",
        "",
        _verdict(best),
        "",
        "These are drawn people in short videos: what a detector finds of real ones is another matter. Look at the "
        "review page (`veil apply cover … --review`), and see [how to](howto/pixels.md).",
    ]
    return "\n".join(lines) + "\n"


def _verdict(best: Misses) -> str:
    if best.recall.value == 1:
        return "Tracked, no frame with a face was missed here."
    return (
        f"Tracked, {best.videos_with_a_miss:.0%} of the videos still show some of a face for some frames: where a "
        "detector never sees a face, there is nothing to fill. Where one miss is too many, blur whole frames, or cover "
        "people instead of faces."
    )


def _named(results: Sequence[Misses], way: str) -> Misses:
    return next(one for one in results if one.way == way)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work", type=Path, help="folder for videos and what was found in them")
    parser.add_argument("--videos", type=int, default=96)
    parser.add_argument("--detector", default="centerface")
    parser.add_argument("--output", "-o", type=Path, help="the page")
    options = parser.parse_args(arguments)
    detector = DETECTORS.get(options.detector)
    results, counts = measure(options.work, num_videos=options.videos, detector=detector)
    page = render_page(results, counts, detector=detector)
    if options.output:
        options.output.write_text(page)
    print(page)


if __name__ == "__main__":
    main()
