"""A picture of the same frames under every row that is there; the people are drawn, nobody is real."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from latentveil.bench.pixel_clips import read_clips
from PIL import Image, ImageDraw

from benchmarks.pages.pixels.measure import Clock, make
from benchmarks.pages.pixels.rows import ROWS
from latentveil.extraction.inputs import collect_videos
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer

COLUMNS, LABEL_WIDTH = 6, 150


def write_gallery(data: Path, runs: Path, output: Path) -> None:
    """One line of frames per row: raw, what needs no learning, and the anonymizers of seed 0 that were trained."""
    labels = Labels.read(data / "labels.csv")
    chosen = labels.videos("test")[:COLUMNS]
    videos = [one for one in collect_videos([data]) if one.video in chosen]
    lines = []
    for row in ROWS:
        folder = runs / "anonymizers" / f"{row.name}-0".replace(" ", "_")
        if row.latent or (row.learned and not (folder / "config.json").exists()):
            continue
        trained = PixelAnonymizer.from_pretrained(str(folder)) if row.learned else None
        anonymizer = trained or make(row, data, folder, seed=0, clock=Clock())
        clips = read_clips(videos, labels, anonymizer=anonymizer)
        frames = np.concatenate(list(clips.pictures[:, clips.pictures.shape[1] // 2]), axis=1)  # (S, 6 S, 3)
        lines.append(_labelled(row.name, frames))
    output.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(lines)).save(output, optimize=True)


def _labelled(name: str, frames: np.ndarray) -> np.ndarray:
    label = Image.new("RGB", (LABEL_WIDTH, len(frames)), "white")
    ImageDraw.Draw(label).text((4, len(frames) // 2 - 6), name, fill="black")
    return np.concatenate([np.asarray(label), frames], axis=1)
