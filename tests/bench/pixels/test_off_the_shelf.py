"""Attackers off the shelf: what they count as known again, and what they see in real pictures."""

import os
from pathlib import Path

import numpy as np
import pytest

from latentveil.bench.pixels import off_the_shelf
from latentveil.bench.pixels.off_the_shelf import FaceReader, Sighting, recognise
from latentveil.errors import InputError
from latentveil.video.decode import open_video

PEOPLE = {"a1": "ann", "b1": "bob", "a2": "ann", "b2": "bob"}
MALES = {"a1": False, "b1": True, "a2": False, "b2": True}


def seen(place, *, male=False, age=30.0):
    return Sighting(np.eye(4)[place], male, age)


def test_a_face_that_is_not_seen_is_not_known_again():
    raw = {"a1": seen(0), "b1": seen(1), "a2": seen(0), "b2": seen(1)}
    found = recognise(
        {"a2": seen(0, age=34), "b2": None}, {"a1": seen(2), "b1": seen(0)}, raw, people=PEOPLE, males=MALES
    )
    assert found.people == [0, 1]
    assert found.found == [True, False]
    assert found.named == [True, False]  # the raw face of ann is nearest
    assert found.linked == [False, False]  # among rewritten ones that of bob is
    assert found.gender == [True, False]
    assert found.age_change == [4.0, None]


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setattr(off_the_shelf, "find_spec", lambda _: None)
    with pytest.raises(InputError, match="dlib must be installed"):
        FaceReader()


@pytest.fixture(scope="module")
def reader():
    try:
        return FaceReader()
    except InputError as error:
        pytest.skip(str(error))


def test_nobody_is_seen_in_noise(reader):
    noise = np.random.default_rng(0).integers(0, 256, (1, 120, 160, 3), dtype=np.uint8)
    assert reader.look(noise) is None


def test_the_same_signer_is_nearer_than_another(reader):
    folder = Path(os.environ.get("LATENTVEIL_DATA", "")) / "lsa64"
    if not folder.is_dir():
        pytest.skip("LATENTVEIL_DATA must name the folder of real data with lsa64")
    names = ("024_001_001", "024_001_002", "024_003_001")
    first, again, other = (reader.look(_middle(folder / f"{name}.mp4")) for name in names)
    assert np.linalg.norm(first.descriptor - again.descriptor) < np.linalg.norm(
        first.descriptor - other.descriptor
    )


def _middle(path):
    frames = [frame.rgb for frame in open_video(path).frames()]
    return np.stack(frames[len(frames) // 2 :][:1])
