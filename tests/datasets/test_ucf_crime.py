"""UCF-Crime: labels from names, events in frames, refusals; and the true files where they are at hand."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

from latentveil.datasets import DATA_SETS
from latentveil.datasets.ucf_crime import class_of, read_test_annotations, read_train_list
from latentveil.errors import InputError
from latentveil.labels import Segment

needs_data = pytest.mark.skipif("LATENTVEIL_DATA" not in os.environ, reason="LATENTVEIL_DATA is not set")


@pytest.fixture
def files(tmp_path):
    train = tmp_path / "Anomaly_Train.txt"
    abnormal = [f"Abuse/Abuse{index:03d}_x264.mp4" for index in range(1, 21)]
    normal = [f"Training_Normal_Videos_Anomaly/Normal_Videos{index:03d}_x264.mp4" for index in range(1, 31)]
    # Mixed on purpose: a label must come from the name, never from the place in the list.
    train.write_text("\n".join(np.random.default_rng(0).permutation(abnormal + normal)) + "\n")
    test = tmp_path / "Temporal_Anomaly_Annotation.txt"
    test.write_text(
        "Normal_Videos_900_x264.mp4  Normal  -1  -1  -1  -1  \n"
        "Arson011_x264.mp4  Arson  150  420  680  1267  \n"
        "Abuse028_x264.mp4  Abuse  165  240  -1  -1  \n"
    )
    return train, test


def read(train, test, *, seed):
    """The data set in the folder of its two files."""
    assert train.parent == test.parent
    return DATA_SETS.get("ucf_crime").read(train.parent, seed=seed)


def test_labels_come_from_names_in_any_order(files):
    labels = read(*files, seed=0).labels
    for video, anomaly, action in zip(labels.video, labels.column("anomaly"), labels.column("action")):
        assert anomaly == ("0" if "Normal" in video else "1")
        assert video.startswith(action)


def test_events_become_seconds_with_the_last_frame_included(files):
    segments = read(*files, seed=0).segments
    assert segments["Abuse028_x264"] == [Segment(165 / 30, 241 / 30, "Abuse")]
    assert [(s.start_seconds, s.end_seconds) for s in segments["Arson011_x264"]] == [
        (150 / 30, 421 / 30),
        (680 / 30, 1268 / 30),
    ]
    assert "Normal_Videos_900_x264" not in segments


def test_validation_is_a_tenth_of_each_kind_drawn_by_seed(files):
    first, again, other = (read(*files, seed=seed).labels for seed in (0, 0, 1))
    assert first.videos("val") == again.videos("val") != other.videos("val")
    assert sorted(first.lookup("anomaly", first.videos("val"))) == ["0", "0", "0", "1", "1"]
    assert len(first.videos("train")) == 45
    assert len(first.videos("test")) == 3


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("Abuse028_x264.mp4  Abuse  165  240", "four frame numbers"),
        ("Abuse028_x264.mp4  Abuse  165  x  -1  -1", "four frame numbers"),
        ("Abuse028_x264.mp4  Arson  165  240  -1  -1", "class must be that of the name"),
        ("Abuse028_x264.mp4  Abuse  240  165  -1  -1", "first frame <= last frame"),
        ("Abuse028_x264.mp4  Abuse  -1  -1  -1  -1", "must have an event"),
        ("Normal_Videos_003_x264.mp4  Normal  1  2  -1  -1", "normal ones none"),
        ("Jaywalking028_x264.mp4  Jaywalking  1  2  -1  -1", "named after a class"),
        ("", "at least one line"),
    ],
)
def test_refuses_broken_annotations(tmp_path, line, message):
    path = tmp_path / "test.txt"
    path.write_text(line + "\n")
    with pytest.raises(InputError, match=message):
        read_test_annotations(path)


def test_refuses_a_video_listed_twice_or_in_both_parts(files):
    train, test = files
    train.write_text("Arson/Arson011_x264.mp4\nAbuse/Abuse001_x264.mp4\n")
    with pytest.raises(InputError, match="train and test videos must differ, got 'Arson011_x264'"):
        read(train, test, seed=0)
    train.write_text("Abuse/Abuse001_x264.mp4\n" * 2)
    with pytest.raises(InputError, match="listed once"):
        read_train_list(train)
    test.write_text("Abuse028_x264.mp4  Abuse  165  240  -1  -1\n" * 2)
    with pytest.raises(InputError, match="annotated once"):
        read_test_annotations(test)
    with pytest.raises(InputError, match="nothing there"):
        read_train_list(train.with_name("absent.txt"))


def test_class_of_a_name():
    assert class_of("RoadAccidents121_x264") == "RoadAccidents"
    assert class_of("Normal_Videos_003_x264") == "Normal"


@needs_data
def test_true_files():
    folder = Path(os.environ["LATENTVEIL_DATA"]) / "annotations" / "ucfcrime"
    found = DATA_SETS.get("ucf_crime").read(folder)
    labels, segments = found.labels, found.segments
    anomaly = labels.column("anomaly")
    in_test = labels.split == "test"
    assert (in_test.sum(), (anomaly[in_test] == "1").sum()) == (290, 140)
    assert ((~in_test).sum(), (anomaly[~in_test] == "1").sum()) == (1610, 810)
    assert set(segments) == set(labels.video[in_test & (anomaly == "1")])
    assert len(set(labels.column("action"))) == 14
    assert segments["Abuse028_x264"][0].start_seconds == 5.5
