from __future__ import annotations

import hashlib
import json
import struct
from dataclasses import replace

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.store.shard import Checksum, require_video_key, shard_name, to_rows
from latentveil.types import FeatureSet


@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../up", "a/../b", "a//b", "a/", "./a", "a\\..\\b", "a\nb", "a\0", "caf\udce9"]
)
def test_unsafe_video_keys_are_refused(key):
    with pytest.raises(InputError, match="video must be"):
        require_video_key(key)


@pytest.mark.parametrize("key", ["a", "a/b.c/d", "..a", "v_ApplyEyeMakeup_g01", "日本/ü 1"])
def test_ordinary_video_keys_are_taken(key):
    require_video_key(key)


def test_shard_name_depends_on_the_set_of_videos_alone():
    assert shard_name(["a", "b"]) == shard_name(iter(["b", "a"]))
    assert len({shard_name(videos) for videos in (["a", "b"], ["ab"], ["a"], ["a", "b", "c"], ["a, b"])}) == 5


def test_rows_are_sorted_by_video_kind_and_time(build):
    features = build.features(["b", "a"])
    rows, order = to_rows(features, dtype="float32", dim=8)
    assert rows.index["video"].to_pylist() == ["a"] * 6 + ["b"] * 6
    assert rows.index["kind"].to_pylist() == (["static"] * 2 + ["temporal"] * 4) * 2
    assert rows.index["start_frame"].to_pylist() == [0, 30, 0, 16, 32, 48] * 2
    assert features.start_frame[order].tolist() == [0, 30, 0, 16, 32, 48] * 2


def checksum(features, *, dtype="float32", parts=1):
    rows, order = to_rows(features, dtype=dtype, dim=8)
    found = Checksum(rows)
    for part in np.array_split(np.arange(len(features)), parts):
        span = range(part[0], part[-1] + 1)
        found.add_features(rows.table(span, features.feature[order[part]]))
    return found.hexdigest()


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_checksum_is_of_the_values_not_of_their_order_or_packing(build, dtype):
    features = build.features(["a", "b"])
    shuffled = features.select(np.random.default_rng(0).permutation(len(features)))
    assert checksum(shuffled, dtype=dtype) == checksum(features, dtype=dtype)
    assert checksum(features, dtype=dtype, parts=5) == checksum(features, dtype=dtype)


def test_checksum_is_the_one_of_the_stores_that_exist():
    """Worked out once from the definition: names and types, then column by column, the features last."""
    features = FeatureSet(
        video=np.array(["a"]),
        clip=np.array([0]),
        start_frame=np.array([16]),
        time=np.array([0.5]),
        kind=np.array(["temporal"]),
        view=np.array(["validation"]),
        feature=np.arange(8, dtype=np.float32)[None],
    )
    names = ["video", "clip", "start_frame", "time", "kind", "view", "feature"]
    content = json.dumps([names, "float", 8]) + '["a"]'
    wanted = content.encode() + struct.pack("<iqd", 0, 16, 0.5) + b'["temporal"]["validation"]'
    wanted += struct.pack("<8f", *range(8))
    assert checksum(features) == hashlib.sha256(wanted).hexdigest()


@pytest.mark.parametrize("column", ["video", "clip", "start_frame", "time", "kind", "view", "feature"])
def test_checksum_sees_a_change_in_any_column(build, column):
    features = build.video("a", clips=1, stills=0)
    other = {"video": "b", "clip": 1, "start_frame": 1, "time": 1.0, "kind": "static", "view": "x"}
    values = features.feature.copy()
    values[0, -1] = np.nextafter(values[0, -1], np.float32(9))
    changed = values if column == "feature" else np.array([other[column]])
    assert checksum(features) != checksum(replace(features, **{column: changed}))


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": np.array(["moving"] * 6)}, "kind must be one of temporal, static, got 'moving'"),
        ({"video": np.array(["../a"] * 6)}, "video must be"),
        ({"clip": np.zeros(6, int)}, "each clip must come once"),
        ({"feature": np.full((6, 8), np.nan, np.float32)}, "finite"),
        ({"feature": np.zeros((6, 9), np.float32)}, r"\(N, 8\)"),
    ],
)
def test_rows_that_do_not_belong_in_a_store_are_refused(build, change, words):
    with pytest.raises(InputError, match=words):
        checksum(replace(build.video("a"), **change))


def test_values_beyond_float16_are_refused_by_video(build):
    features = build.video("loud").with_feature(np.full((6, 8), 7e4, np.float32))
    checksum(features)
    with pytest.raises(InputError, match=r"finite in float16.*'loud'"):
        checksum(features, dtype="float16")


def test_no_rows_are_refused(build):
    with pytest.raises(InputError, match="at least one clip"):
        to_rows(build.video("a").select(np.zeros(6, bool)), dtype="float32", dim=8)
