from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.types import FeatureSet, Interval, concatenate


def make(rows: list[tuple[str, int, int, str, str]], dim: int = 2) -> FeatureSet:
    """Rows (video, clip, start_frame, kind, view); feature i is filled with i."""
    video, clip, start_frame, kind, view = (np.array(column) for column in zip(*rows))
    feature = np.repeat(np.arange(len(rows), dtype=np.float32)[:, None], dim, axis=1)
    return FeatureSet(video, clip, start_frame, start_frame / 25, kind, view, feature)


ROWS = [
    ("b", 1, 16, "temporal", "validation"),
    ("a", 0, 0, "temporal", "validation"),
    ("b", 0, 0, "temporal", "validation"),
    ("b", 0, 5, "static", "validation"),
    ("a", 1, 16, "temporal", "validation"),
    ("b", 0, 0, "temporal", "training"),
]


def test_sequences_are_sorted_and_in_time_order():
    found = [(*key, rows.tolist()) for *key, rows in make(ROWS).sequences()]
    assert found == [
        ("a", "temporal", "validation", [1, 4]),
        ("b", "static", "validation", [3]),
        ("b", "temporal", "training", [5]),
        ("b", "temporal", "validation", [2, 0]),
    ]


@given(
    st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 5), st.sampled_from(["temporal", "static"])))
)
def test_sequences_hold_every_row_once(rows):
    if not rows:
        return
    features = make([(video, clip, 16 * clip, kind, "validation") for video, clip, kind in rows])
    parts = list(features.sequences())
    assert sorted(np.concatenate([part[-1] for part in parts]).tolist()) == list(range(len(rows)))
    assert len({part[:3] for part in parts}) == len(parts)
    for video, kind, _, found in parts:
        assert set(features.video[found]) == {video}
        assert set(features.kind[found]) == {kind}
        assert (np.diff(features.start_frame[found]) >= 0).all()


def test_an_empty_set_has_no_sequences():
    assert list(make(ROWS).select(np.array([], dtype=int)).sequences()) == []


def test_rows_by_kind_and_video():
    features = make(ROWS)
    assert features.of_kind("static").feature[:, 0].tolist() == [3]
    assert features.of_videos(["a", "unknown"]).feature[:, 0].tolist() == [1, 4]
    assert len(features.of_videos([])) == 0
    assert features.videos == ["a", "b"]
    with pytest.raises(InputError, match="kind must be one of temporal, static, got 'moving'"):
        features.of_kind("moving")


def test_other_features_for_the_same_clips():
    features = make(ROWS)
    other = features.with_feature(np.zeros((6, 7), np.float32))
    assert other.dim == 7
    assert other.video is features.video
    with pytest.raises(InputError, match="must have 5 rows"):
        features.with_feature(np.zeros((5, 2), np.float32))


def test_columns_of_another_length_or_shape_are_refused():
    features = make(ROWS)
    with pytest.raises(InputError, match="clip must have 6 rows like feature, got 2"):
        replace(features, clip=np.arange(2))
    with pytest.raises(InputError, match=r"shape \(N, D\), got \(6,\)"):
        replace(features, feature=np.zeros(6))


def test_concatenation_keeps_order_and_columns():
    features = make(ROWS)
    parts = [features.select(np.arange(2)), features.select(np.arange(2, 6))]
    whole = concatenate(parts)
    for column in fields(FeatureSet):
        np.testing.assert_array_equal(getattr(whole, column.name), getattr(features, column.name))
    with pytest.raises(InputError, match="at least one"):
        concatenate([])


def test_an_interval_reads_well():
    interval = Interval(0.5, 0.25, 0.75)
    assert str(interval) == "0.500 [0.250, 0.750]"
    assert interval.to_dict() == {"value": 0.5, "low": 0.25, "high": 0.75}


def test_a_feature_set_says_what_it_holds_in_a_line():
    features = FeatureSet.from_arrays({"a": np.zeros((2, 3)), "b": np.zeros((1, 3))})
    assert repr(features) == "FeatureSet(2 videos, 3 temporal and 0 static clips of 3 numbers)"
