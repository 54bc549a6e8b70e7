from __future__ import annotations

import tracemalloc

import numpy as np
import pyarrow as pa
import pytest

from latentveil.errors import InputError
from latentveil.store import Derivation, FeatureStore, StoreWriter, derive_store, find_problems
from latentveil.store.derive import find_derived

DERIVATION = Derivation(store="raw", adapter="veil", adapter_sha256="ab" * 32, dim=3)


def halve(features):
    return features.feature[:, :3] / 2


def shards_of(path):
    return {shard.name: shard.stat().st_mtime_ns for shard in path.glob("shard-*.parquet")}


def test_a_derived_store_has_the_same_clips_and_says_where_it_comes_from(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a", "b"], ["c"]])
    told = []
    manifest = derive_store(
        raw, tmp_path / "safe", derivation=DERIVATION, transform=halve, on_progress=told.append
    )
    safe = FeatureStore(tmp_path / "safe")
    build.same_rows(safe.read(), raw.read().with_feature(raw.read().feature[:, :3] / 2))
    assert manifest.derived_from == DERIVATION
    assert (manifest.encoder, manifest.sampling, manifest.fps) == (
        raw.manifest.encoder,
        raw.manifest.sampling,
        raw.manifest.fps,
    )
    assert safe.dim == 3
    assert manifest.shards.keys() == raw.manifest.shards.keys()
    assert [step.done for step in told][-1] == told[-1].total == 18
    assert find_problems(tmp_path / "safe") == []


def test_a_stopped_derivation_goes_on_without_redoing_a_shard(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a"], ["b"], ["c"]])
    calls = []

    def fail_at_second(features):
        calls.append(features.videos)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return halve(features)

    with pytest.raises(KeyboardInterrupt):
        derive_store(raw, tmp_path / "safe", derivation=DERIVATION, transform=fail_at_second)
    with pytest.raises(InputError, match="Run again"):
        FeatureStore(tmp_path / "safe")
    before = shards_of(tmp_path / "safe")
    derive_store(raw, tmp_path / "safe", derivation=DERIVATION, transform=fail_at_second)
    assert len(before) == 1
    assert before.items() <= shards_of(tmp_path / "safe").items()
    assert len(calls) == 4, "one done, one interrupted, then the two that were missing"


def test_new_and_changed_shards_of_the_source_are_followed(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a"], ["b"]])
    derive_store(raw, tmp_path / "safe", derivation=DERIVATION, transform=halve)
    before = shards_of(tmp_path / "safe")
    with StoreWriter(tmp_path / "raw", build.manifest()) as writer:
        b_shard = writer.shard_writer().write_shard(build.video("b", clips=6))
        writer.write_shard(build.video("c"))
        writer.finish()
    derive_store(FeatureStore(tmp_path / "raw"), tmp_path / "safe", derivation=DERIVATION, transform=halve)
    safe = FeatureStore(tmp_path / "safe")
    assert safe.videos == ["a", "b", "c"]
    assert len(safe.video("b")) == 6
    kept = before.items() & shards_of(tmp_path / "safe").items()
    assert {name for name, _ in kept} == set(before) - {b_shard}


def test_a_source_without_the_videos_of_the_store_is_refused_and_nothing_is_lost(tmp_path, build):
    first = build.store(tmp_path / "first", [["a", "b"], ["c"]])
    other = build.store(tmp_path / "other", [["c"], ["d"]])
    derive_store(first, tmp_path / "safe", derivation=DERIVATION, transform=halve)
    before = shards_of(tmp_path / "safe")
    with pytest.raises(
        InputError, match=r"safe must hold videos of .*other only, got 2 .* 'a'.*another folder"
    ):
        derive_store(other, tmp_path / "safe", derivation=DERIVATION, transform=halve)
    assert shards_of(tmp_path / "safe") == before
    assert FeatureStore(tmp_path / "safe").videos == ["a", "b", "c"]


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_another_seed_is_refused_before_anything_is_removed(tmp_path, build, dtype):
    def add_noise(seed):
        return lambda part: halve(part) + np.random.default_rng(seed).normal(size=(len(part), 3))

    raw = build.store(tmp_path / "raw", [["a"], ["b"]], dtype=dtype)
    seeded = DERIVATION.model_copy(update={"seeded": True})
    derive_store(raw, tmp_path / "safe", derivation=seeded, transform=add_noise(1))
    before = shards_of(tmp_path / "safe")
    with StoreWriter(tmp_path / "raw", build.manifest(dtype=dtype)) as writer:
        writer.shard_writer().write_shard(build.video("b", clips=6))
        writer.finish()
    changed = FeatureStore(tmp_path / "raw")
    with pytest.raises(InputError, match="seed must be the one that"):
        derive_store(changed, tmp_path / "safe", derivation=seeded, transform=add_noise(2))
    assert shards_of(tmp_path / "safe") == before
    derive_store(changed, tmp_path / "safe", derivation=seeded, transform=add_noise(1))
    assert len(FeatureStore(tmp_path / "safe").video("b")) == 6


def test_a_run_that_goes_on_names_the_path_where_the_source_is_now(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a"]])
    derive_store(raw, tmp_path / "safe", derivation=DERIVATION, transform=halve)
    moved = DERIVATION.model_copy(update={"store": "moved/raw"})
    derive_store(raw, tmp_path / "safe", derivation=moved, transform=halve)
    assert FeatureStore(tmp_path / "safe").manifest.derived_from == moved


def test_another_adapter_is_refused_with_both_hashes(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a"]])
    derive_store(raw, tmp_path / "safe", derivation=DERIVATION, transform=halve)
    other = DERIVATION.model_copy(update={"adapter_sha256": "cd" * 32})
    with pytest.raises(InputError, match=f"{'ab' * 32}.*{'cd' * 32}"):
        derive_store(raw, tmp_path / "safe", derivation=other, transform=halve)


def test_a_derivation_of_a_derivation_keeps_both(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a"]])
    derive_store(raw, tmp_path / "one", derivation=DERIVATION, transform=halve)
    second = Derivation(store="one", adapter="noise", adapter_sha256="ee" * 32, dim=3)
    manifest = derive_store(
        FeatureStore(tmp_path / "one"),
        tmp_path / "two",
        derivation=second,
        transform=lambda features: np.zeros_like(features.feature),
    )
    assert manifest.derived_from.adapter == "noise"
    assert manifest.derived_from.parent == DERIVATION


def test_a_transform_of_the_wrong_shape_is_refused(tmp_path, build):
    raw = build.store(tmp_path / "raw", [["a"]])
    with pytest.raises(InputError, match=r"\(N, 3\)"):
        derive_store(
            raw, tmp_path / "safe", derivation=DERIVATION, transform=lambda features: features.feature
        )


def test_a_shard_goes_through_in_parts_of_whole_videos(tmp_path, build, monkeypatch):
    monkeypatch.setattr("latentveil.store.shard.ROW_GROUP_BYTES", 3 * 4 * 7)  # two videos
    monkeypatch.setattr("latentveil.store.derive.PART_CLIPS", 25)
    raw = build.store(tmp_path / "raw", [["a", "b", "c", "d", "e", "f", "g"], ["h"]])
    parts = []

    def note(features):
        parts.append("".join(features.videos))
        return halve(features)

    derive_store(raw, tmp_path / "safe", derivation=DERIVATION, transform=note)
    assert sorted(parts) == ["abcd", "efg", "h"]
    safe = FeatureStore(tmp_path / "safe")
    build.same_rows(safe.read(), raw.read().with_feature(halve(raw.read())))
    assert find_problems(tmp_path / "safe") == []


def test_memory_stays_below_one_shard(tmp_path, build, monkeypatch):
    raw = build.store(
        tmp_path / "raw", [[f"{number:03d}" for number in range(400)]], clips=20, stills=0, dim=512
    )
    shard_bytes = len(raw) * 512 * 4  # 16 MB
    arrow = pa.proxy_memory_pool(pa.system_memory_pool())
    monkeypatch.setattr(pa, "system_memory_pool", lambda: arrow)
    derivation = DERIVATION.model_copy(update={"dim": 512})
    tracemalloc.start()  # numpy reports its arrays to it
    derive_store(raw, tmp_path / "safe", derivation=derivation, transform=lambda part: 2 * part.feature)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 1e6 < peak + arrow.max_memory() < 0.75 * shard_bytes
    np.testing.assert_array_equal(FeatureStore(tmp_path / "safe").read().feature, 2 * raw.read().feature)


def test_a_finished_store_is_found_by_its_adapter_as_long_as_its_source_is_the_same(tmp_path, build):
    raw, safe = build.store(tmp_path / "raw", [["a"], ["b"]]), tmp_path / "safe"
    ours = DERIVATION.adapter_sha256
    assert find_derived(raw, safe, adapter_sha256=ours) is None
    derive_store(raw, safe, derivation=DERIVATION, transform=halve)
    assert find_derived(raw, safe, adapter_sha256=ours).path == safe
    assert find_derived(raw, safe, adapter_sha256="cd" * 32) is None
    assert find_derived(raw, tmp_path / "raw", adapter_sha256=None) is None
    other = build.store(tmp_path / "other", [["a"], ["b"], ["c"]])
    assert find_derived(other, safe, adapter_sha256=ours) is None
    with StoreWriter(safe, FeatureStore(safe).manifest) as writer:
        writer.discard_shard(min(shards_of(safe)))
    assert find_derived(raw, safe, adapter_sha256=ours) is None
