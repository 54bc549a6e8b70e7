"""A repair makes the damaged shards again, with the values they had, and touches no other."""

from __future__ import annotations

import errno
import json
import os

import pytest

from latentveil.errors import InputError
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.extraction.repair import repair_store
from latentveil.store import FeatureStore, find_problems, shard_file
from latentveil.store.shard_file import read_footer
from latentveil.types import Sampling


@pytest.fixture
def store(videos, tmp_path):
    options = ExtractOptions(shard_videos=2, workers=1)
    sampling = Sampling(static_clips=2)
    run_extraction([videos], tmp_path / "store", encoder="tiny", sampling=sampling, options=options)
    return tmp_path / "store"


def flip(shard, place):
    content = bytearray(shard.read_bytes())
    content[place] ^= 0x08
    shard.write_bytes(content)


def in_features(shard):
    """A byte among the features, which are most of the file."""
    return shard.stat().st_size // 3


DAMAGE = {
    "a flipped bit": lambda shard: flip(shard, in_features(shard)),
    "a lost footer": lambda shard: shard.write_bytes(shard.read_bytes()[:-50]),
    "a lost file": lambda shard: shard.unlink(),
    "an empty file": lambda shard: shard.write_bytes(b""),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_just_the_damaged_shard_is_made_again_with_the_values_it_had(store, videos, damage):
    before = {path.name: path.read_bytes() for path in store.glob("shard-*")}
    manifest = json.loads((store / "manifest.json").read_text())
    bad, *others = sorted(store.glob("shard-*"))
    DAMAGE[damage](bad)
    times = {path: path.stat().st_mtime_ns for path in others}
    (problem,) = find_problems(store)
    assert problem.startswith(bad.name)
    done = repair_store(store, [videos])
    assert done.restored == (bad.name,)
    assert not done.remade
    assert not done.failures
    assert find_problems(store) == []
    assert {path.name: path.read_bytes() for path in store.glob("shard-*")} == before
    assert {path: path.stat().st_mtime_ns for path in others} == times
    assert json.loads((store / "manifest.json").read_text()) == manifest


def test_an_intact_store_is_left_alone(store, videos):
    assert repair_store(store, [videos]).damaged == {}


def test_two_lost_shards_come_back_whatever_their_names(store, videos):
    wanted = FeatureStore(store).read()
    for path in sorted(store.glob("shard-*"))[:2]:
        path.write_bytes(b"PAR1")
    done = repair_store(store, [videos])
    assert len(done.damaged) == 2
    assert find_problems(store) == []
    assert (FeatureStore(store).read().feature == wanted.feature).all()


def test_videos_that_are_not_there_are_asked_for_before_anything_is_moved(store, videos):
    bad = sorted(store.glob("shard-*"))[0]
    inside = {video.video for video in read_footer(bad).videos}
    flip(bad, in_features(bad))
    other = next(path for path in sorted(videos.iterdir()) if path.stem not in inside)
    with pytest.raises(InputError, match="must hold those of the damaged shards"):
        repair_store(store, [other])
    assert bad.exists()


def test_a_repair_that_was_killed_goes_on(store, videos):
    bad = sorted(store.glob("shard-*"))[0]
    flip(bad, in_features(bad))
    bad.rename(bad.with_name(f"{bad.name}.damaged"))  # as far as it had come
    assert repair_store(store, [videos]).restored == (bad.name,)
    assert find_problems(store) == []
    assert not list(store.glob("*.damaged"))


def test_anonymized_stores_are_mended_otherwise(store, videos):
    manifest = json.loads((store / "manifest.json").read_text())
    derived = {"store": "raw", "adapter": "a", "adapter_sha256": "0", "dim": manifest["encoder"]["dim"]}
    (store / "manifest.json").write_text(json.dumps(manifest | {"derived_from": derived}))
    with pytest.raises(InputError, match="run `veil apply` again"):
        repair_store(store, [videos])


@pytest.mark.parametrize("number", [errno.EACCES, errno.EIO, errno.ESTALE])
def test_a_shard_that_the_system_does_not_let_us_read_is_no_damaged_one(store, videos, monkeypatch, number):
    before = {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()}
    unreadable, damaged, *_ = sorted(store.glob("shard-*"))
    flip(damaged, in_features(damaged))
    before[damaged.name] = damaged.read_bytes()
    usual = shard_file.pq.ParquetFile

    def open_parquet(source, **options):
        if source == unreadable:
            raise OSError(number, "Failed to open local file")
        return usual(source, **options)

    monkeypatch.setattr(shard_file.pq, "ParquetFile", open_parquet)
    said = rf"{unreadable.name} must be readable, got: {os.strerror(number)}\. Give yourself the right"
    with pytest.raises(InputError, match=said):
        repair_store(store, [videos])
    assert {path.name: path.read_bytes() for path in store.iterdir() if path.is_file()} == before
    problems = find_problems(store)
    assert [problem.partition(":")[0] for problem in problems] == [unreadable.name, damaged.name]
