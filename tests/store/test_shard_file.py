from __future__ import annotations

import numpy as np
import pyarrow.parquet as pq
import pytest

from latentveil.errors import InputError
from latentveil.store.shard import to_rows
from latentveil.store.shard_file import OpenShard, read_footer, write_shard_file


@pytest.fixture
def seven_rows(monkeypatch):
    monkeypatch.setattr("latentveil.store.shard.ROW_GROUP_BYTES", 8 * 4 * 7)


def test_footer_lists_videos_and_row_groups_end_with_them(tmp_path, build, seven_rows):
    path = tmp_path / "shard.parquet"
    footer = build.shard_file(path, build.features(["a", "b", "c"]))
    assert read_footer(path) == footer
    listed = [(video.video, video.static, video.temporal) for video in footer.videos]
    assert listed == [("a", 2, 4), ("b", 2, 4), ("c", 2, 4)]
    assert footer.fps == pytest.approx((25.0, 25.0))
    with OpenShard(path) as shard:
        assert shard.bounds.tolist() == [0, 12, 18]
        build.same_rows(shard.read(range(18), dim=8), build.features(["a", "b", "c"]))


@pytest.mark.parametrize("memory_map", [True, False])
def test_any_range_of_rows_is_read_across_row_groups(tmp_path, build, seven_rows, memory_map):
    path = tmp_path / "shard.parquet"
    build.shard_file(path, build.features(["a", "b", "c", "d"]))
    with OpenShard(path, memory_map=memory_map) as shard:
        whole = shard.read(range(24), dim=8)
        for start, stop in ((0, 1), (11, 13), (5, 24), (12, 12)):
            part = shard.read(range(start, stop), dim=8)
            np.testing.assert_array_equal(part.feature, whole.feature[start:stop])
            assert part.video.tolist() == whole.video[start:stop].tolist()


def test_other_tools_read_a_shard_as_plain_parquet(tmp_path, build):
    build.shard_file(tmp_path / "s.parquet", build.video("a"), dtype="float16")
    plain = pq.read_table(tmp_path / "s.parquet").to_pylist()
    assert plain[0].keys() == {"video", "clip", "start_frame", "time", "kind", "view", "feature"}
    assert len(plain[0]["feature"]) == 8


def test_a_footer_in_the_schema_is_read_too(tmp_path, build):
    """Version 0.1 put it there."""
    footer = build.shard_file(tmp_path / "new.parquet", build.video("a"))
    file = pq.ParquetFile(tmp_path / "new.parquet")
    table = file.read().replace_schema_metadata({b"latentveil": file.metadata.metadata[b"latentveil"]})
    pq.write_table(table, tmp_path / "old.parquet")
    assert read_footer(tmp_path / "old.parquet") == footer


def test_features_must_come_for_every_row_group(tmp_path, build, seven_rows):
    features = build.features(["a", "b", "c"])
    rows, _ = to_rows(features, dtype="float32", dim=8)
    first = features.feature[:12]
    with pytest.raises(ValueError, match="shorter"):
        write_shard_file(tmp_path / "s.parquet", rows, [first], settings_sha256="s")
    with pytest.raises(InputError, match=r"\(N, 8\)"):
        write_shard_file(tmp_path / "s.parquet", rows, [first[:5], first], settings_sha256="s")
