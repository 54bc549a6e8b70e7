"""f_B': it learns what a picture shows, and tuning does not make it worse where it can see so."""

import numpy as np
import pytest
import torch

from latentveil.bench.pixels.clips import GradedClips
from latentveil.bench.pixels.readers import ReaderShape, train_reader
from latentveil.labels import Labels

SMALL = {"width": 4, "batch_size": 8, "frames": 1}
SECRET = "secret_colour"


@pytest.fixture(scope="module")
def clips():
    """Sixty videos of noise with more red or more blue, which is the secret."""
    random = np.random.default_rng(0)
    blue = np.arange(60) % 2
    pictures = random.integers(0, 120, size=(60, 2, 32, 32, 3), dtype=np.uint8)
    for number, is_blue in enumerate(blue):
        pictures[number, ..., 2 * is_blue] += 100
    labels = Labels(
        video=np.array([f"v{number:02d}" for number in range(60)]),
        split=np.array(["train"] * 30 + ["val"] * 15 + ["test"] * 15),
        columns={SECRET: blue.astype(str)},
    )
    return GradedClips(pictures, labels)


def test_a_reader_learns_what_pictures_show(clips):
    reader = train_reader(clips, [SECRET], ReaderShape(epochs=20, **SMALL), seed=0)
    assert reader.hits(clips)[SECRET].mean() > 0.9
    assert reader.mean_right(clips, clips.rows("test")) == reader.hits(clips)[SECRET].mean()


def test_whoever_tunes_keeps_where_it_began_unless_validation_is_better(clips):
    start = train_reader(clips, [SECRET], ReaderShape(epochs=20, **SMALL), seed=0)
    assert start.mean_right(clips, clips.rows("val")) == 1
    ruinous = ReaderShape(epochs=2, learning_rate=10.0, **SMALL)
    tuned = train_reader(clips, [SECRET], ruinous, seed=1, start=start)
    before, after = start.network.state_dict(), tuned.network.state_dict()
    assert all(torch.equal(value, after[name]) for name, value in before.items())
    fresh = train_reader(clips, [SECRET], ruinous, seed=1)
    assert not all(torch.equal(value, fresh.network.state_dict()[name]) for name, value in before.items())
