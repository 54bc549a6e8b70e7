"""UR Fall Detection: segments from postures, stratified splits, refusals; and the true file where it is at hand."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from latentveil.datasets.urfd import read_urfd
from latentveil.errors import InputError
from latentveil.labels import Segment

needs_data = pytest.mark.skipif("LATENTVEIL_DATA" not in os.environ, reason="LATENTVEIL_DATA is not set")


def write_frames(path: Path, postures: dict[str, list[tuple[int, int]]]) -> Path:
    rows = [f"{video},{frame},{posture}" for video, found in postures.items() for frame, posture in found]
    path.write_text("video,frame,posture\n" + "\n".join(rows) + "\n")
    return path


def test_falls_and_lying_down_on_purpose_have_names_of_their_own(tmp_path):
    down = [(1, -1), (2, 0), (3, 0), (4, 1), (5, 1)]
    path = write_frames(
        tmp_path / "frames.csv", {"fall-01-cam0": down, "adl-01-cam0": down, "adl-02-cam0": [(1, -1)]}
    )
    labels, segments = read_urfd(path, seed=0)
    assert segments["fall-01-cam0"] == [Segment(1 / 30, 3 / 30, "fall"), Segment(3 / 30, 5 / 30, "lying")]
    assert segments["adl-01-cam0"] == [Segment(1 / 30, 3 / 30, "lie_down"), Segment(3 / 30, 5 / 30, "lying")]
    assert "adl-02-cam0" not in segments
    assert labels.lookup("anomaly", ["fall-01-cam0", "adl-01-cam0"]).tolist() == ["1", "0"]
    assert labels.person is None


def test_a_missing_frame_ends_a_run_and_rows_may_come_in_any_order(tmp_path):
    path = write_frames(tmp_path / "frames.csv", {"fall-01-cam0": [(8, 0), (3, 0), (4, 0), (7, 0)]})
    _, segments = read_urfd(path, seed=0)
    assert [(s.start_seconds, s.end_seconds) for s in segments["fall-01-cam0"]] == [
        (2 / 30, 4 / 30),
        (6 / 30, 8 / 30),
    ]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("video,frame\nfall-01,1\n", "columns video, frame, posture"),
        ("video,frame,posture\nfall-01,one,0\n", "whole numbers"),
        ("video,frame,posture\nwalk-01,1,0\n", "named fall-… or adl-…"),
        ("video,frame,posture\n", "at least one row"),
    ],
)
def test_refuses_other_files(tmp_path, text, message):
    path = tmp_path / "frames.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=message):
        read_urfd(path, seed=0)
    with pytest.raises(InputError, match="nothing there"):
        read_urfd(tmp_path / "absent.csv", seed=0)


@needs_data
def test_true_file():
    path = Path(os.environ["LATENTVEIL_DATA"]) / "urfd" / "frames.csv"
    labels, segments = read_urfd(path, seed=0)
    assert len(labels.video) == 70
    for split, falls, activities in (("train", 18, 24), ("val", 6, 8), ("test", 6, 8)):
        flags = labels.lookup("anomaly", labels.videos(split)).tolist()
        assert (flags.count("1"), flags.count("0")) == (falls, activities)
    assert read_urfd(path, seed=1)[0].videos("test") != labels.videos("test")
    # Every fall takes 30 frames on the way down and ends lying.
    for video in labels.video[labels.column("action") == "fall"]:
        fall, lying = segments[video]
        assert (fall.label, lying.label) == ("fall", "lying")
        assert fall.end_seconds - fall.start_seconds == pytest.approx(1.0)
        assert lying.start_seconds == fall.end_seconds
