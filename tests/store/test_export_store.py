"""A store is handed on under other names: its clips are the same, and nothing in its files tells the old names."""

import numpy as np
import pyarrow.parquet as pq
import pytest

import latentveil as lv
from latentveil.errors import InputError, Notice, UsageError
from latentveil.store import FeatureStore, StoreWriter, export_store, find_problems, write
from latentveil.store.shard import shard_name

# Two shards, as a person's videos come one after the other; the new names deal them out.
PEOPLE = [["anna_sits", "anna_walks", "anna_waves"], ["ben_sits", "ben_walks", "ben_waves"]]
NAMES = {
    "anna_sits": "e", "anna_walks": "a", "anna_waves": "d", "ben_sits": "c", "ben_walks": "b", "ben_waves": "f"
}  # fmt: skip


@pytest.fixture
def store(tmp_path, build):
    return build.store(tmp_path / "safe", PEOPLE)


@pytest.fixture
def names(tmp_path):
    path = tmp_path / "names.csv"
    path.write_text("video,name\n" + "".join(f"{video},{name}\n" for video, name in NAMES.items()))
    return path


@pytest.fixture(autouse=True)
def _two_videos_per_shard(monkeypatch, store):
    clips = 2 * store.num_clips("anna_sits")
    monkeypatch.setattr(export_store, "SHARD_BYTES", 4 * store.dim * clips)


def exported(store, tmp_path, names):
    (found,) = lv.export_features(store, as_store=tmp_path / "out", rename=names, progress=False)
    return FeatureStore(found)


def test_every_clip_is_there_under_its_new_name(tmp_path, store, names):
    made = exported(store, tmp_path, names)
    assert made.videos == list("abcdef")
    for old, new in NAMES.items():
        before, after = store.read(videos=[old]), made.read(videos=[new])
        for column in ("clip", "start_frame", "time", "kind", "view", "feature"):
            np.testing.assert_array_equal(getattr(after, column), getattr(before, column))
    assert find_problems(made.path) == []
    assert made.manifest.counts == store.manifest.counts
    assert made.manifest.settings() == store.manifest.settings()


def test_shards_and_rows_follow_the_new_names(tmp_path, store, names):
    made = exported(store, tmp_path, names)
    assert set(made.manifest.shards) == {shard_name(pair) for pair in ("ab", "cd", "ef")}
    for shard in made.manifest.shards:
        videos = pq.read_table(made.path / shard)["video"].to_pylist()
        assert videos == sorted(videos)


def test_no_file_tells_an_old_name_or_a_checksum_of_the_old_store(tmp_path, store, names):
    exported(store, tmp_path, names)
    told = [*NAMES, *store.manifest.shards]
    for entry in store.manifest.shards.values():
        told += [entry.sha256, entry.footer_sha256]
    for file in (tmp_path / "out").iterdir():
        content = file.read_bytes()
        assert not [word for word in told if word.encode() in content], file.name


def test_a_run_that_was_killed_goes_on_and_a_finished_one_is_found_again(tmp_path, store, names, monkeypatch):
    written = []
    original = write.StoreWriter.write_shard

    def killed_at_the_second(writer, features):
        if len(written) == 1:
            raise KeyboardInterrupt
        written.append(features.videos)
        return original(writer, features)

    monkeypatch.setattr(write.StoreWriter, "write_shard", killed_at_the_second)
    with pytest.raises(KeyboardInterrupt):
        exported(store, tmp_path, names)
    with pytest.raises(InputError, match="must be complete"):
        FeatureStore(tmp_path / "out")
    monkeypatch.setattr(write.StoreWriter, "write_shard", original)
    first = (tmp_path / "out" / shard_name(written[0])).stat().st_mtime_ns
    made = exported(store, tmp_path, names)
    assert made.videos == list("abcdef")
    assert (tmp_path / "out" / shard_name(written[0])).stat().st_mtime_ns == first
    with pytest.warns(Notice, match="holds this very export already"):
        exported(store, tmp_path, names)


def test_it_does_not_go_on_with_other_numbers_or_other_names(tmp_path, build, store, names):
    exported(store, tmp_path, names)
    before = {file.name: file.read_bytes() for file in (tmp_path / "out").glob("*.parquet")}
    drawn_again = store.read()
    with StoreWriter(tmp_path / "other", build.manifest()) as writer:
        writer.write_shard(drawn_again.with_feature(drawn_again.feature + 0.01))
        writer.finish()
    other = FeatureStore(tmp_path / "other")
    with pytest.raises(InputError, match="hold this very export, got something else"):
        exported(other, tmp_path, names)
    names.write_text(names.read_text().replace(",a\n", ",x\n"))
    with pytest.raises(InputError, match="hold this very export, got something else"):
        exported(store, tmp_path, names)
    with pytest.raises(InputError, match="hold this very export, got something else"):
        lv.export_features(store, as_store=store.path, rename=names, progress=False)
    assert {file.name: file.read_bytes() for file in (tmp_path / "out").glob("*.parquet")} == before


def test_what_cannot_be_meant_is_refused_before_a_name_is_drawn(tmp_path, store):
    with pytest.raises(UsageError, match=r"as_store must come with a file of names.*rename='names.csv'"):
        lv.export_features(store, as_store=tmp_path / "out")
    with pytest.raises(UsageError, match="view must be left out"):
        lv.export_features(store, as_store=tmp_path / "out", rename=tmp_path / "new.csv", view="validation")
    assert not (tmp_path / "new.csv").exists()
