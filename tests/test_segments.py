"""Timed events survive the disk, and ones that cannot be are refused with what was given."""

from __future__ import annotations

import pytest

from latentveil.errors import InputError
from latentveil.segments import Segment, as_segments, read_segments, write_segments


def test_segments_survive_the_disk_in_time_order(tmp_path):
    segments = {
        "a": [Segment(2.5, 3.25, "run"), Segment(0.1, 0.1004, "fall")],
        "b/c": [Segment(0.0, 1e-5, "x, y")],
    }
    write_segments(tmp_path / "segments.csv", segments)
    assert read_segments(tmp_path / "segments.csv") == {
        "a": [Segment(0.1, 0.1004, "fall"), Segment(2.5, 3.25, "run")],
        "b/c": segments["b/c"],
    }


@pytest.mark.parametrize(
    ("times", "words"),
    [
        ("2,1", "start_seconds < end_seconds"),
        ("1,1", "<"),
        ("-1,1", "0 <="),
        ("nan,1", "0 <="),
        ("0,inf", "0 <="),
        ("x,1", "numbers"),
    ],
)
def test_impossible_segments_are_refused(tmp_path, times, words):
    (tmp_path / "segments.csv").write_text(f"video,start_seconds,end_seconds,label\na,{times},run\n")
    with pytest.raises(InputError, match=words):
        read_segments(tmp_path / "segments.csv")


def test_segments_may_be_plain_tuples():
    found = as_segments({"a": [(2.0, 3.0, "jump"), (0.0, 1.0, "run")]})
    assert found == {"a": [Segment(0.0, 1.0, "run"), Segment(2.0, 3.0, "jump")]}
    with pytest.raises(InputError, match="0 <= start_seconds < end_seconds"):
        as_segments({"a": [(2.0, 1.0, "jump")]})


@pytest.mark.parametrize("item", [(3.0, "jump"), ("soon", 1.0, "jump"), 7, (None, 1.0, "jump")])
def test_what_is_no_segment_is_refused(item):
    with pytest.raises(InputError, match=r"segments must be \(start_seconds, end_seconds, label\).* of 'a'"):
        as_segments({"a": [item]})


def test_times_may_be_given_as_text():
    assert as_segments({"a": [("0", "1.5", "jump")]}) == {"a": [Segment(0.0, 1.5, "jump")]}
