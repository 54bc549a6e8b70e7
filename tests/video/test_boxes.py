"""Boxes: areas by hand, and a file that reads back and names its mistakes."""

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.video.boxes import Boxes, grow, overlap, overlap_by_union, read_boxes, write_boxes


def test_areas_worked_by_hand():
    one, two = np.array([[0.0, 0, 4, 4]]), np.array([[2.0, 2, 6, 6], [5, 5, 6, 6]])
    assert overlap(one, two).tolist() == [[4, 0]]
    assert overlap_by_union(one, two).tolist() == [[4 / 28, 0]]
    assert grow(one, 0.5).tolist() == [[-2, -2, 6, 6]]
    assert grow(np.tile(one, (2, 1)), np.array([[0], [0.25]])).tolist() == [[0, 0, 4, 4], [-1, -1, 5, 5]]


def test_a_file_reads_back(tmp_path):
    rows = [(3, 1, np.array([1.04, 2, 3, 4]), 0.5), (0, 0, np.array([0, 0, 5, 5]), 1.0)]
    write_boxes(tmp_path / "boxes.csv", {"a, b": Boxes.of(rows, label="face")})
    found = read_boxes(tmp_path / "boxes.csv")["a, b"]
    assert found.frame.tolist() == [0, 3]
    assert found.corners.tolist() == [[0, 0, 5, 5], [1, 2, 3, 4]]
    assert found.score.tolist() == [1.0, 0.5]
    assert found.at(3).track.tolist() == [1]
    assert len(found.at(1)) == 0
    assert len(found.labelled("head")) == 0


def test_a_file_that_was_there_stays_where_a_new_one_fails(tmp_path):
    write_boxes(tmp_path / "boxes.csv", {"a": Boxes.of([], label="face")})
    with pytest.raises(TypeError):
        write_boxes(tmp_path / "boxes.csv", {"b": None})
    assert list(read_boxes(tmp_path / "boxes.csv")) == ["a"]


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("a,0,5,0,1,1", "left < right"),
        ("a,0,-inf,0,inf,1", "all finite"),
        ("a,x,0,0,1,1", "hold numbers"),
        ("a,0,0,0,1", "have 6 values"),
        (f"a,{10**30},0,0,1,1", "have frame"),
        (f"a,0,0,0,1,{'9' * 1000}x", "hold numbers, got .{200}…"),
    ],
)
def test_a_wrong_line_is_named(tmp_path, line, said):
    (tmp_path / "boxes.csv").write_text(f"video,frame,left,top,right,bottom\n{line}\n")
    with pytest.raises(InputError, match=f"line 2 must .*{said}"):
        read_boxes(tmp_path / "boxes.csv")


def test_a_missing_column_is_named(tmp_path):
    (tmp_path / "boxes.csv").write_text("video,frame,left,top,right\n")
    with pytest.raises(InputError, match=r"must have the columns .*, bottom"):
        read_boxes(tmp_path / "boxes.csv")


def test_a_video_without_boxes_is_named_and_has_none(tmp_path):
    """Nobody is in it: that is not the same as a video of which nobody knows."""
    write_boxes(tmp_path / "boxes.csv", {"empty": Boxes.of([], label="face")})
    (found,) = read_boxes(tmp_path / "boxes.csv").items()
    assert found[0] == "empty"
    assert (len(found[1]), found[1].corners.shape, len(found[1].at(0))) == (0, (0, 4), 0)
    assert len(found[1].labelled("face")) == 0
