"""What attackers off the shelf still find in rewritten video of real people (LSA64), row by row."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from benchmarks.pages.pixels.measured import MEASURED, file_name, write_json
from latentveil.bench.pixels.clips import GradedClips, rewrite_clips
from latentveil.bench.pixels.off_the_shelf import FaceReader, Sighting, recognise
from latentveil.extraction.inputs import collect_videos
from latentveil.files.place_files import local_file
from latentveil.files.places import RemotePath
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.fit import make_unlearned
from latentveil.pixels.request import VideoRequest
from latentveil.video.decode import open_video

NUM_SIGNS, GALLERY, PROBES, NUM_PICTURES = 3, "_001", "_002", 2
UNLEARNED: dict[str, Callable[[], PixelAnonymizer | None]] = {
    "raw": lambda: None,
    "downsample 2x": lambda: make_unlearned("downsample", "2x"),
    "downsample 4x": lambda: make_unlearned("downsample", "4x"),
    "blur, weak": lambda: make_unlearned("blur", "weak"),
    "blur, strong": lambda: make_unlearned("blur", "strong"),
    "cover, black": lambda: make_unlearned("cover", "black"),
    "cover, blurred": lambda: make_unlearned("cover", "strong"),
}


def measure_faces(row: str, data: Path, *, anonymizer: Path | None, seed: int = 0) -> None:
    """Let the attackers look at one row, and keep which answers were right."""
    made = PixelAnonymizer.from_pretrained(str(anonymizer)) if anonymizer else UNLEARNED[row]()
    labels, paths = Labels.read(data / "labels.csv"), {one.video: one.path for one in collect_videos([data])}
    signs = sorted(set(labels.column("action").tolist()))[:NUM_SIGNS]
    chosen = labels.only(labels.video[np.isin(labels.column("action"), signs)])
    videos = [video for video in chosen.video.tolist() if video.endswith((GALLERY, PROBES))]
    reader = FaceReader()
    seen = {video: reader.look(pictures_of(paths[video], video, made)) for video in videos}
    raw = seen if row == "raw" else {v: reader.look(pictures_of(paths[v], v, None)) for v in videos}
    people = dict(zip(chosen.video.tolist(), chosen.groups.tolist()))
    males = dict(zip(chosen.video.tolist(), (chosen.column("gender") == male_label(chosen)).tolist()))

    def ending(found: dict[str, Sighting | None], end: str) -> dict[str, Sighting | None]:
        return {video: one for video, one in found.items() if video.endswith(end)}

    told = recognise(ending(seen, PROBES), ending(seen, GALLERY), raw, people=people, males=males)
    kept = {"row": row, "seed": seed, "pictures": NUM_PICTURES, **asdict(told)}
    write_json(MEASURED / "off_the_shelf" / file_name(row), kept)


def male_label(labels: Labels) -> str:
    """The class of the men: six of the ten signers are."""
    people = dict(zip(labels.groups.tolist(), labels.column("gender").tolist()))
    classes, counts = np.unique(list(people.values()), return_counts=True)
    return str(classes[counts.argmax()])


def pictures_of(path: Path | RemotePath, video: str, anonymizer: PixelAnonymizer | None) -> np.ndarray:
    """A few frames (T, H, W, 3) from the middle of a video; who must see all of it to rewrite it does."""
    with local_file(path) as here:
        return _pictures(here, video, anonymizer)


def _pictures(path: Path, video: str, anonymizer: PixelAnonymizer | None) -> np.ndarray:
    source = open_video(path)
    whole = anonymizer is not None and anonymizer.plugin.stream is not None
    stream = anonymizer.stream(source, VideoRequest(video)) if anonymizer and whole else source.frames()
    frames = [frame.rgb for frame in stream]
    places = np.linspace(0, len(frames) - 1, NUM_PICTURES + 2).round().astype(int)[1:-1]
    pictures = np.stack([frames[place] for place in places])
    if anonymizer is None or whole:
        return pictures
    one = Labels(np.array([video]), np.array([""]))
    return rewrite_clips(GradedClips(pictures[None], one), anonymizer).pictures[0]
