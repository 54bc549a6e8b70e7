"""A picture of the same frames under every row that is there; the people are drawn, nobody is real."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw

from latentveil.bench.pixels.anonymizers import content_hash, settings_on
from latentveil.bench.pixels.clips import GradedClips
from latentveil.bench.protocols.pixels import PixelArena, Pixels
from latentveil.bench.recipe import load_recipe
from latentveil.bench.rows import Row
from latentveil.bench.run import SHARED
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import training_videos

RECIPE = "pixels"
COLUMNS, LABEL_WIDTH = 8, 150


def write_gallery(data: str, output: Path, picture: Path) -> None:
    """One line of frames per row: raw, what needs no learning, and the anonymizers of seed 0 that were trained."""
    recipe, protocol = load_recipe(RECIPE), Pixels()
    arena = protocol.build(protocol.own_data(data, recipe, output=output, quick=False), recipe, seed=0)
    chosen = arena.raw.rows("test")[:COLUMNS]
    few = arena.labels.only(arena.labels.video[chosen])
    arena = replace(arena, labels=few, raw=GradedClips(arena.raw.pictures[chosen], few))
    lines = [_labelled("raw", arena.raw)]
    for row in recipe.rows:
        if row.pixels and _is_there(arena, row, output / SHARED):
            lines.append(_labelled(row.name, arena.rewritten(arena.make(row, shared=output / SHARED))))
    picture.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(lines)).save(picture, optimize=True)


def _is_there(arena: PixelArena, row: Row, shared: Path) -> bool:
    """Whether nothing has to be trained for this row."""
    method = PIXEL_METHODS.get(row.pixels)
    videos = training_videos(
        arena.data.folder, arena.training_labels(), tasks=row.tasks, secrets=method.oracle
    )
    settings = settings_on(row, arena.data.folder, seed=0)
    made = shared / f"pixels-{content_hash(method, videos, settings)}" / "config.json"
    return not method.learned or made.is_file()


def _labelled(name: str, clips: GradedClips) -> np.ndarray:
    """The middle frames of the videos behind the row's name, (S, W, 3)."""
    frames = np.concatenate(list(clips.pictures[:, clips.pictures.shape[1] // 2]), axis=1)
    label = Image.new("RGB", (LABEL_WIDTH, len(frames)), "white")
    ImageDraw.Draw(label).text((4, len(frames) // 2 - 6), name, fill="black")
    return np.concatenate([np.asarray(label), frames], axis=1)
