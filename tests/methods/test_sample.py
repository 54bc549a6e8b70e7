"""A closed form reads a sample of a large store, drawn by seed, and says so; of a small one it reads all."""

import pytest

import latentveil as lv
from latentveil.errors import Notice
from latentveil.methods import sample
from latentveil.methods.sample import sample_videos
from latentveil.store import FeatureStore


def test_a_small_store_is_read_whole(toy_folder, toy):
    assert sample_videos(FeatureStore(toy_folder / "raw"), toy.labels, seed=0) == (toy.labels, None)


def test_a_sample_is_bounded_follows_the_seed_and_is_told(toy_folder, toy, monkeypatch):
    monkeypatch.setattr(sample, "MOST_BYTES", 4 * toy.features.dim * 120)  # room for 120 of 576 clips
    store = FeatureStore(toy_folder / "raw")
    with pytest.warns(Notice, match="Fitted on a sample of 20 of 72 videos"):
        adapter = lv.fit(store, toy.labels, method="pca", progress=False)
    assert adapter.config["recipe"]["sampled"] == {"videos": 20, "of": 72, "clips": 120, "seed": 0}
    with pytest.warns(Notice):
        first, again, other = (sample_videos(store, toy.labels, seed=seed)[0] for seed in (1, 1, 2))
    assert first.video.tolist() == again.video.tolist() != other.video.tolist()
    assert not set(first.videos("test"))
