import json
import os
from collections import Counter
from pathlib import Path

import pytest

from latentveil.datasets.thumos14 import read_thumos14
from latentveil.errors import InputError
from latentveil.labels import Segment

ENTRY = {
    "subset": "Validation",
    "duration": 60.5,
    "fps": 30.0,
    "annotations": [
        {"label": "Diving", "segment": [5.0, 7.5], "segment(frames)": [150.0, 225.0], "label_id": 7},
        {"label": "CliffDiving", "segment": ["1.0", "2.5"], "label_id": 4},
    ],
}


def written(folder, database):
    path = folder / "thumos14.json"
    path.write_text(json.dumps({"version": "Thumos14-30fps", "database": database}))
    return path


def test_reads_both_ways_of_writing_it(tmp_path):
    database = {"b": ENTRY, "a": {"subset": "test", "annotations": []}}
    thumos = read_thumos14(written(tmp_path, database))
    assert thumos.labels.video.tolist() == ["a", "b"]
    assert thumos.labels.split.tolist() == ["test", "train"]
    assert thumos.segments == {"a": [], "b": [Segment(1.0, 2.5, "CliffDiving"), Segment(5.0, 7.5, "Diving")]}


def test_faulty_videos_are_left_out_unless_wanted(tmp_path):
    path = written(tmp_path, {"video_test_0000270": {"subset": "Test", "annotations": []}, "b": ENTRY})
    assert read_thumos14(path).labels.video.tolist() == ["b"]
    assert read_thumos14(path, keep_faulty=True).labels.videos("test") == ["video_test_0000270"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"subset": "holdout"}, "subset must be one of"),
        ({"annotations": [{"label": "x"}]}, "must have label and segment"),
        ({"annotations": [{"label": "x", "segment": ["a", 2]}]}, "must have label and segment"),
        ({"annotations": [{"label": "x", "segment": [3, 2]}]}, "0 <= start < end"),
    ],
)
def test_refuses_wrong_entries(tmp_path, change, message):
    with pytest.raises(InputError, match=message):
        read_thumos14(written(tmp_path, {"b": ENTRY | change}))


def test_refuses_other_files(tmp_path):
    with pytest.raises(InputError, match="THUMOS14's annotations, got: No such file"):
        read_thumos14(tmp_path / "none.json")
    for text in ("{", "[]", "{}", '{"database": []}', "[" * 100_000):
        (tmp_path / "other.json").write_text(text)
        with pytest.raises(InputError, match=r"other\.json must be"):
            read_thumos14(tmp_path / "other.json")


@pytest.mark.skipif(
    "LATENTVEIL_DATA" not in os.environ, reason="LATENTVEIL_DATA names no folder of real data"
)
def test_reads_the_real_file():
    path = Path(os.environ["LATENTVEIL_DATA"]) / "annotations/thumos14/thumos_gt.json"
    thumos = read_thumos14(path)
    assert Counter(thumos.labels.split.tolist()) == {"train": 200, "test": 210}
    assert len({segment.label for found in thumos.segments.values() for segment in found}) == 20
    assert sum(len(found) for found in thumos.segments.values()) == 6318
    assert all(thumos.segments.values())
