"""A picture of the same frames under every method; the people are drawn, nobody is real.

Anonymizers that a bench has trained are shown; systems that none has trained yet are trained in the preset `short`.
"""

from __future__ import annotations

from collections.abc import Iterator
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

RECIPE = "pixels"  # has every method
VARIANTS = ("spact3", "penalty1")  # whose rows are shown where they were trained
SHORT = "short"
COLUMNS, LABEL_WIDTH = 8, 150


def write_gallery(data: str, output: Path, picture: Path) -> None:
    """One line of frames per row: raw, what needs no learning, and anonymizers of seed 0."""
    recipe, protocol, shared = load_recipe(RECIPE), Pixels(), output / SHARED
    arena = protocol.build(protocol.own_data(data, recipe, output=output, quick=False), recipe, seed=0)
    chosen = arena.raw.rows("test")[:COLUMNS]
    few = arena.labels.only(arena.labels.video[chosen])
    rows = list(_rows(arena, shared))
    made = {row.name: arena.make(row, shared=shared) for row in rows}
    arena = replace(arena, labels=few, raw=GradedClips(arena.raw.pictures[chosen], few))
    lines = [_labelled("raw", arena.raw)]
    lines += [_labelled(name, arena.rewritten(anonymizer)) for name, anonymizer in made.items()]
    picture.parent.mkdir(parents=True, exist_ok=True)
    Image.fromarray(np.concatenate(lines)).save(picture, optimize=True)


def _rows(arena: PixelArena, shared: Path) -> Iterator[Row]:
    """The rows to show: of every method one, and variants of it that are there."""
    for row in load_recipe(RECIPE).rows:
        if row.pixels:
            short = row.model_copy(update={"preset": SHORT, "name": f"{row.name} ({SHORT})"})
            yield row if _is_there(arena, row, shared) else short
    for recipe in map(load_recipe, VARIANTS):
        for row in recipe.rows:
            if "," in row.name and row.pixels and _is_there(arena, row, shared):
                yield row


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
