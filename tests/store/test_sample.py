"""Of a store that is larger than memory should hold a sample of videos is read, drawn by seed, and told."""

import pytest

import latentveil as lv
from latentveil.auditing import sampling
from latentveil.errors import Notice, UsageError
from latentveil.methods import fit as fitting
from latentveil.store import FeatureStore
from latentveil.store.sample import GB, bytes_to_read, draw_videos


@pytest.fixture
def store(toy_folder):
    return FeatureStore(toy_folder / "raw")


@pytest.fixture
def room(toy):
    """Bytes for 120 of the 576 clips."""
    return 4 * toy.features.dim * 120


def test_a_small_store_is_read_whole(store):
    assert draw_videos(store, store.videos, most_bytes=GB, seed=0) is None


def test_features_in_memory_are_never_sampled(toy):
    from latentveil.store.sources import open_features

    source = open_features(toy.features)
    assert draw_videos(source, source.videos, most_bytes=1, seed=0) is None


def test_a_sample_is_bounded_and_follows_the_seed_alone(store, room):
    first, again, other = (
        draw_videos(store, videos, most_bytes=room, seed=seed)
        for videos, seed in ((store.videos, 1), (store.videos[::-1], 1), (store.videos, 2))
    )
    assert first == again
    assert set(first.names) != set(other.names)
    assert sum(store.num_clips(video) for video in first.names) == first.clips <= 120


@pytest.mark.parametrize("method", ["pca", "splavu"])
def test_a_fit_reads_a_sample_of_training_videos_and_tells(method, store, toy, room, monkeypatch):
    monkeypatch.setattr(fitting, "MOST_BYTES", room)
    monkeypatch.setattr(fitting, "MOST_BYTES_TRAINED", room)
    read = _videos_read(monkeypatch)
    settings = {"train.epochs": 1} if method == "splavu" else {}
    with pytest.warns(Notice, match="Fitted on a sample of 20 of 72 videos"):
        adapter = lv.fit(store, toy.labels, method=method, settings=settings, progress=False)
    assert adapter.config["recipe"]["sampled"] == {"videos": 20, "of": 72, "clips": 120, "seed": 0}
    assert len(read) == 20
    assert not read & set(toy.labels.videos("test"))


def test_more_can_be_asked_for(store, toy, room, monkeypatch):
    monkeypatch.setattr(fitting, "MOST_BYTES", room)
    with pytest.warns(Notice, match="Fitted on a sample of 40 .* all that read_gb=.* admits"):
        adapter = lv.fit(store, toy.labels, method="pca", read_gb=2 * room / GB, progress=False)
    assert adapter.config["recipe"]["sampled"]["clips"] == 240
    whole = lv.fit(store, toy.labels, method="pca", read_gb=1, progress=False)
    assert "sampled" not in whole.config["recipe"]


def test_an_evaluation_reads_a_sample_and_tells(store, toy, room, monkeypatch):
    read = _videos_read(monkeypatch)
    found = lv.evaluate("action", store, toy.labels, seeds=1, read_gb=room / GB, progress=False)
    assert found.to_dict()["sampled"]["clips"] <= 120
    assert found.to_dict()["sampled"]["videos"] == len(read)
    assert "Measured on a sample of" in str(found)
    assert lv.evaluate("action", store, toy.labels, seeds=1, progress=False).to_dict()["sampled"] is None


def test_tuning_reads_a_sample_and_tells(store, toy, room, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_BYTES", 2 * room)
    read = _videos_read(monkeypatch)
    with pytest.warns(Notice, match="40 of .* were read"):
        lv.tune(store, toy.labels, method="subspace", dials={"erasure.noise": [0.5]}, progress=False)
    assert not read & set(toy.labels.videos("test"))


@pytest.mark.parametrize("read_gb", [0, -1, float("nan"), float("inf")])
def test_what_may_be_read_is_a_number_of_gigabytes(read_gb):
    with pytest.raises(UsageError, match="read_gb must be above 0, got"):
        bytes_to_read(read_gb, GB)


def test_a_method_that_reads_shard_by_shard_takes_no_bound(store, toy):
    with pytest.raises(UsageError, match="read_gb must be left out with the method transport"):
        lv.fit(store, toy.labels, groups="person", read_gb=1, progress=False)


def _videos_read(monkeypatch):
    """The names of the videos that stores are asked for from now on."""
    found = set()
    read = FeatureStore.read

    def noted(self, kind=None, videos=None):
        videos = list(self.videos if videos is None else videos)
        found.update(videos)
        return read(self, kind, videos)

    monkeypatch.setattr(FeatureStore, "read", noted)
    return found
