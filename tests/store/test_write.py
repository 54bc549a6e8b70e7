from __future__ import annotations

import json
import multiprocessing
import pickle
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.store import FeatureStore, StoreWriter, find_problems
from latentveil.store.shard import shard_name


def shards_of(path: Path) -> dict[str, int]:
    """Each shard's name and the moment it was written: a shard made again shows another."""
    return {shard.name: shard.stat().st_mtime_ns for shard in path.glob("shard-*.parquet")}


def test_manifest_counts_what_was_written(tmp_path, build):
    with StoreWriter(tmp_path / "s", build.manifest()) as writer:
        name = writer.write_shard(build.features(["a", "b/c"]))
        manifest = writer.finish()
    assert name == shard_name(["a", "b/c"])
    assert manifest.complete
    assert manifest.counts.model_dump() == {"videos": 2, "clips": 12, "temporal": 8, "static": 4}
    assert manifest.shards[name].rows == 12
    assert manifest.shards[name].num_bytes == (tmp_path / "s" / name).stat().st_size
    assert manifest.fps == 25.0
    assert FeatureStore(tmp_path / "s").manifest == manifest


def test_fps_is_none_where_videos_differ(tmp_path, build):
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.write_shard(build.video("a", fps=25))
        writer.write_shard(build.video("b", fps=30))
        assert writer.finish().fps is None


def test_an_unfinished_store_is_refused_and_goes_on(tmp_path, build):
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.write_shard(build.video("a"))
    with pytest.raises(InputError, match="Run again to finish"):
        FeatureStore(tmp_path)
    before = shards_of(tmp_path)
    with StoreWriter(tmp_path, build.manifest()) as writer:
        assert writer.finished_videos() == {"a"}
        writer.write_shard(build.video("b"))
        writer.finish()
    assert before.items() <= shards_of(tmp_path).items()
    build.same_rows(FeatureStore(tmp_path).read(), build.features(["a", "b"]))


def test_readers_keep_the_last_finished_state_while_videos_are_added(tmp_path, build):
    build.store(tmp_path, [["a"]])
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.write_shard(build.video("b"))
    assert FeatureStore(tmp_path).videos == ["a"]
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.finish()
    assert FeatureStore(tmp_path).videos == ["a", "b"]


def test_an_exception_keeps_the_shards_and_frees_the_lock(tmp_path, build):
    def fail_after_one_shard():
        with StoreWriter(tmp_path, build.manifest()) as writer:
            writer.write_shard(build.video("a"))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_after_one_shard()
    with StoreWriter(tmp_path, build.manifest()) as writer:
        assert writer.finished_videos() == {"a"}


def test_a_changed_setting_is_refused_and_changes_nothing(tmp_path, build):
    build.store(tmp_path, [["a"]])
    before = (tmp_path / "manifest.json").read_bytes()
    with (
        pytest.raises(InputError, match="dtype is 'float32' there, got 'float16'"),
        StoreWriter(tmp_path, build.manifest(dtype="float16")),
    ):
        pass
    assert (tmp_path / "manifest.json").read_bytes() == before


def test_both_backends_are_recorded(tmp_path, build):
    build.store(tmp_path, [["a"]])
    with StoreWriter(tmp_path, build.manifest(backend="onnx")) as writer:
        writer.write_shard(build.video("b"))
        assert writer.finish().backend == "onnx+torch"


def test_a_video_is_never_written_twice(tmp_path, build):
    build.store(tmp_path, [["a"]])
    with StoreWriter(tmp_path, build.manifest()) as writer:
        with pytest.raises(InputError, match="'a' again"):
            writer.write_shard(build.features(["a", "b"]))
        writer.shard_writer().write_shard(build.features(["a", "b"]))
        with pytest.raises(InputError, match=r"'a' in shard-.* and shard-"):
            writer.finish()


def test_a_shard_of_other_settings_is_refused(tmp_path, build):
    build.store(tmp_path / "one", [["a"]])
    build.store(tmp_path / "two", [["b"]], dtype="float16")
    (shard,) = (tmp_path / "two").glob("shard-*")
    shard.rename(tmp_path / "one" / shard.name)
    with pytest.raises(InputError, match=shard.name), StoreWriter(tmp_path / "one", build.manifest()):
        pass


def test_left_over_temporary_files_are_removed(tmp_path, build):
    build.store(tmp_path, [["a"]])
    (tmp_path / ".shard-x.parquet.123.tmp").write_bytes(b"half")
    with StoreWriter(tmp_path, build.manifest()):
        assert not list(tmp_path.glob("*.tmp"))


def test_a_refused_shard_leaves_nothing_behind(tmp_path, build):
    with StoreWriter(tmp_path, build.manifest()) as writer:
        with pytest.raises(InputError):
            writer.write_shard(build.video("a").with_feature(np.full((6, 8), np.inf, np.float32)))
        assert writer.finished_videos() == set()
    assert {path.name for path in tmp_path.iterdir()} == {".lock", ".run", "manifest.json"}


def test_a_folder_with_other_things_in_it_is_refused(tmp_path, build):
    (tmp_path / "holiday.jpg").touch()
    with pytest.raises(InputError, match=r"holiday\.jpg"), StoreWriter(tmp_path, build.manifest()):
        pass
    assert [path.name for path in tmp_path.iterdir()] == ["holiday.jpg"]
    with (
        pytest.raises(InputError, match="must be a folder"),
        StoreWriter(tmp_path / "holiday.jpg", build.manifest()),
    ):
        pass


def test_a_damaged_shard_is_named_when_a_run_starts(tmp_path, build):
    build.store(tmp_path, [["a"]])
    (shard,) = tmp_path.glob("shard-*")
    shard.write_bytes(shard.read_bytes()[:-20])
    with pytest.raises(InputError, match=shard.name), StoreWriter(tmp_path, build.manifest()):
        pass


def test_workers_write_shards_at_once(tmp_path, build):
    names = [f"v{number:02}" for number in range(24)]
    with StoreWriter(tmp_path, build.manifest()) as writer:
        shards = pickle.loads(pickle.dumps(writer.shard_writer()))
        jobs = [build.features(names[start : start + 2]) for start in range(0, len(names), 2)]
        with multiprocessing.get_context("fork").Pool(3) as pool:
            written = pool.map(shards.write_shard, jobs, chunksize=1)
        assert len(set(written)) == 12
        assert writer.finish().counts.videos == 24
    assert find_problems(tmp_path) == []
    build.same_rows(FeatureStore(tmp_path).read(), build.features(names))


def test_killed_at_twenty_moments_the_store_equals_an_undisturbed_one(tmp_path, build):
    script = Path(__file__).with_name("killed_writer.py")
    command = [sys.executable, script, tmp_path / "s", tmp_path / "undisturbed", "0"]
    done = subprocess.run(command, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stderr.decode()
    states = [*json.loads(done.stdout), shards_of(tmp_path / "s")]
    for earlier, later in pairwise(states):
        assert earlier.items() <= later.items(), "a finished shard was made again"
    assert any(0 < len(state) < len(states[-1]) for state in states), "some kill must fall into the writing"
    assert find_problems(tmp_path / "s") == []
    assert not list((tmp_path / "s").glob("*.tmp"))
    undisturbed = FeatureStore(tmp_path / "undisturbed")
    assert len(undisturbed.videos) == 36
    build.same_rows(FeatureStore(tmp_path / "s").read(), undisturbed.read())
