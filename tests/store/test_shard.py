from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow.parquet as pq
import pytest

from latentveil.errors import InputError
from latentveil.store.shard import (
    content_sha256,
    describe,
    open_parquet,
    read_footer,
    require_video_key,
    shard_name,
    to_features,
    to_table,
    write_parquet,
)


@pytest.mark.parametrize(
    "key", ["", "/etc/passwd", "../up", "a/../b", "a//b", "a/", "./a", "a\\..\\b", "a\nb", "a\0"]
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
    table = to_table(build.features(["b", "a"]), dtype="float32", dim=8)
    assert table["video"].to_pylist() == ["a"] * 6 + ["b"] * 6
    assert table["kind"].to_pylist() == (["static"] * 2 + ["temporal"] * 4) * 2
    assert table["start_frame"].to_pylist() == [0, 30, 0, 16, 32, 48] * 2


@pytest.mark.parametrize("dtype", ["float32", "float16"])
def test_checksum_is_of_the_values_not_of_their_order_or_packing(tmp_path, build, dtype):
    features = build.features(["a", "b"])
    table = to_table(features, dtype=dtype, dim=8)
    shuffled = to_table(
        features.select(np.random.default_rng(0).permutation(len(features))), dtype=dtype, dim=8
    )
    assert content_sha256(shuffled) == content_sha256(table)
    pq.write_table(table, tmp_path / "other.parquet", compression="none", row_group_size=2)
    assert content_sha256(pq.read_table(tmp_path / "other.parquet")) == content_sha256(table)


@pytest.mark.parametrize("column", ["video", "clip", "start_frame", "time", "kind", "view", "feature"])
def test_checksum_sees_a_change_in_any_column(build, column):
    features = build.video("a", clips=1, stills=0)
    other = {"video": "b", "clip": 1, "start_frame": 1, "time": 1.0, "kind": "static", "view": "x"}
    values = features.feature.copy()
    values[0, -1] = np.nextafter(values[0, -1], np.float32(9))
    changed = values if column == "feature" else np.array([other[column]])
    sums = {
        content_sha256(to_table(rows, dtype="float32", dim=8))
        for rows in (features, replace(features, **{column: changed}))
    }
    assert len(sums) == 2


def test_footer_lists_videos_and_row_groups_end_with_them(tmp_path, build, monkeypatch):
    monkeypatch.setattr("latentveil.store.shard.ROW_GROUP_BYTES", 8 * 4 * 7)  # seven rows
    table = to_table(build.features(["a", "b", "c"]), dtype="float32", dim=8)
    footer = describe(table, settings_sha256="s", source_sha256=None)
    write_parquet(tmp_path / "shard.parquet", table, footer)
    assert read_footer(tmp_path / "shard.parquet") == footer
    assert [(video.video, video.static, video.temporal) for video in footer.videos] == [
        ("a", 2, 4),
        ("b", 2, 4),
        ("c", 2, 4),
    ]
    assert footer.fps == pytest.approx((25.0, 25.0))
    with open_parquet(tmp_path / "shard.parquet") as file:
        sizes = [file.metadata.row_group(group).num_rows for group in range(file.num_row_groups)]
        assert sizes == [12, 6]
        build.same_rows(to_features(file.read()), build.features(["a", "b", "c"]))


def test_other_tools_read_a_shard_as_plain_parquet(tmp_path, build):
    features = build.video("a")
    table = to_table(features, dtype="float16", dim=8)
    write_parquet(tmp_path / "s.parquet", table, describe(table, settings_sha256="s", source_sha256=None))
    plain = pq.read_table(tmp_path / "s.parquet").to_pylist()
    assert plain[0].keys() == {"video", "clip", "start_frame", "time", "kind", "view", "feature"}
    assert len(plain[0]["feature"]) == 8


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
        to_table(replace(build.video("a"), **change), dtype="float32", dim=8)


def test_values_beyond_float16_are_refused_by_video(build):
    features = build.video("loud").with_feature(np.full((6, 8), 7e4, np.float32))
    to_table(features, dtype="float32", dim=8)
    with pytest.raises(InputError, match=r"finite in float16.*'loud'"):
        to_table(features, dtype="float16", dim=8)


def test_no_rows_are_refused(build):
    with pytest.raises(InputError, match="at least one clip"):
        to_table(build.video("a").select(np.zeros(6, bool)), dtype="float32", dim=8)
