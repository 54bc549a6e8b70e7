from __future__ import annotations

import json
import shutil
from contextlib import suppress

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.store import FeatureStore, StoreWriter, find_problems
from latentveil.store.shard import shard_name


def edit_manifest(path, edit):
    file = path / "manifest.json"
    raw = json.loads(file.read_text())
    edit(raw)
    file.write_text(json.dumps(raw))


def test_an_intact_store_has_no_problems(tmp_path, build):
    build.store(tmp_path, [["a", "b"], ["c"]], dtype="float16")
    read = []
    assert find_problems(tmp_path, on_progress=read.append) == []
    assert read[-1].done == read[-1].total == 18


def test_no_flipped_byte_changes_a_value_unnoticed(tmp_path, build):
    store = build.store(tmp_path / "s", [["a", "b"], ["c"]])
    wanted = store.read()
    bad = shard_name(["a", "b"])
    whole = (tmp_path / "s" / bad).read_bytes()
    noticed = 0
    anywhere = np.random.default_rng(0).choice(len(whole), 60, replace=False).tolist()
    texts = [place for name in (b"temporal", b"validation", b"start_frame") for place in [whole.find(name)]]
    for place in (*anywhere, *texts):
        broken = bytearray(whole)
        broken[place] ^= 0x10
        (tmp_path / "s" / bad).write_bytes(broken)
        problems = find_problems(tmp_path / "s")
        if problems:
            noticed += 1
            assert all(problem.startswith(bad) for problem in problems)
            with suppress(InputError):  # no other error, whatever is broken
                FeatureStore(tmp_path / "s").read()
        else:  # a byte that no reader looks at
            build.same_rows(FeatureStore(tmp_path / "s").read(), wanted)
    assert noticed > 30


def test_a_shard_with_other_values_is_named(tmp_path, build):
    build.store(tmp_path, [["a"], ["b"]])
    name = shard_name(["b"])
    other = build.video("b").with_feature(np.ones((6, 8), np.float32))
    build.shard_file(tmp_path / name, other, settings_sha256=build.manifest().settings_sha256)
    (problem,) = find_problems(tmp_path)
    assert name in problem
    with pytest.raises(InputError, match=name):
        FeatureStore(tmp_path).read()


def test_lost_moved_and_foreign_shards_are_named(tmp_path, build):
    build.store(tmp_path / "s", [["a"], ["b"], ["c"]])
    a, b, c = (tmp_path / "s" / shard_name([name]) for name in "abc")
    shutil.copy(a, b)
    c.unlink()
    shutil.copy(a, tmp_path / "s" / "shard-copy.parquet")
    problems = find_problems(tmp_path / "s")
    assert len(problems) == 3
    for name, words in (
        (b.name, "must be"),
        (c.name, "must exist"),
        ("shard-copy.parquet", "not in the manifest"),
    ):
        assert any(problem.startswith(name) and words in problem for problem in problems)


@pytest.mark.parametrize(
    ("edit", "words"),
    [
        (lambda raw: raw["counts"].update(clips=13), "the shards hold"),
        (lambda raw: raw["encoder"].update(name="i3d"), "settings must be"),
        (lambda raw: raw["encoder"].update(dim=9), "columns must be"),
        (lambda raw: next(iter(raw["shards"].values())).update(rows=5), "rows must be 5, got 6"),
        (lambda raw: raw.update(complete=False), "incomplete"),
    ],
)
def test_a_manifest_that_does_not_fit_is_told(tmp_path, build, edit, words):
    build.store(tmp_path, [["a"]])
    edit_manifest(tmp_path, edit)
    assert any(words in problem for problem in find_problems(tmp_path))


def test_an_interrupted_store_is_told_to_be_one(tmp_path, build):
    with StoreWriter(tmp_path, build.manifest()) as writer:
        writer.write_shard(build.video("a"))
    assert find_problems(tmp_path) == ["the store is incomplete: run again to finish it"]
