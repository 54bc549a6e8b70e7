"""Faces of utkface at the frame size of wlasl100: two random views of each to pair, and a plain one to grade on.

The ready features of the research data are of one view at 224 pixels, so the pictures are encoded here. The stores are
of real people: they stay in a folder that git ignores.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np

import latentveil as lv
from benchmarks.published.data import Strangers, join_strangers
from latentveil.errors import InputError
from latentveil.progress import Progress
from latentveil.types import FeatureSet

FACE_SET = "utkface"
FACES = "wlasl100-faces"  # clips of wlasl100 beside pairs of faces: the source of these cells
FRAME_SIZE = 112  # as the features of wlasl100 and peta
NUM_VIEWS = 2
# Crops that keep four fifths of the picture or more, mirrored or not: the stored views of the public code.
VIEWS, PLAIN = "faces-views.store", "faces-plain.store"


def extract_faces(
    data: Path, folder: Path, *, encoder: str = "i3d", say: Callable[[str], None] = print
) -> None:
    """Encode all pictures once for pairs and once for grading; what ``folder`` holds already is not done again."""
    pictures = data / FACE_SET
    if not pictures.is_dir():
        raise InputError(
            f"data must hold the pictures of {FACE_SET}, got none in {data}. Set LATENTVEIL_DATA."
        )

    def tell(step: Progress) -> None:
        if step.done % 200 == 0:
            say(f"{step.stage}: {step.done} of {step.total}")

    for name, view, views in ((VIEWS, "training", NUM_VIEWS), (PLAIN, "validation", 1)):
        lv.extract(
            [pictures],
            folder / name,
            encoder=encoder,
            size=FRAME_SIZE,
            view=view,
            views=views,
            workers=1,
            dtype="float16",
            progress=tell,
        )


def load_face_pairs(data: Path, folder: Path) -> np.ndarray:
    """Both views (P, 2, D) of each face that is not of the test split, in order of their names."""
    faces = _read(folder / VIEWS)
    labels = lv.Labels.read(data / FACE_SET / "labels.csv")
    faces = faces.of_videos(labels.video[labels.split != "test"].tolist())
    order = np.lexsort((faces.view, faces.video))
    names, counts = np.unique(faces.video, return_counts=True)
    assert (counts == NUM_VIEWS).all(), "every face has both views"
    return faces.feature[order].astype(np.float32).reshape(len(names), NUM_VIEWS, -1)


def load_faces(data: Path, folder: Path) -> Strangers:
    """The plain view of every face."""
    faces = _read(folder / PLAIN)
    labels = lv.Labels.read(data / FACE_SET / "labels.csv")
    return join_strangers(FACE_SET, labels, faces.video, faces.feature.astype(np.float32))


def _read(store: Path) -> FeatureSet:
    if not (store / "manifest.json").is_file():
        raise InputError(f"{store} must be a store of faces, got none. Let --faces extract them.")
    return lv.FeatureStore(store).read()
