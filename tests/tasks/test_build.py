"""Which tasks the labels allow, and which videos belong to each."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.tasks.build import available_tasks, build_tasks, split_motion
from latentveil.types import ClipTiming


def with_columns(labels, **columns):
    return replace(labels, columns={name: np.array(values) for name, values in columns.items()})


def test_a_blank_keeps_a_video_out_of_a_task(mixed):
    tasks = build_tasks(
        ["action", "detection", "anomaly"], mixed.features, mixed.labels, segments=mixed.segments
    )
    for name, task in tasks.items():
        expected = [video for video in mixed.labels.videos("test") if video.startswith(name)]
        assert task.videos.names("test") == expected
    assert tasks["detection"].classes == ["event0", "event1"]  # not "alarm", which is of the anomaly videos


def test_clips_are_as_long_as_the_store_says(mixed):
    tasks = build_tasks(
        ["detection", "anomaly"],
        mixed.features,
        mixed.labels,
        segments=mixed.segments,
        timing=ClipTiming(clip_frames=32, fps=10.0),
    )
    usual = build_tasks(["detection", "anomaly"], mixed.features, mixed.labels, segments=mixed.segments)
    longer, shorter = (built["detection"]._train[0].grid for built in (tasks, usual))
    frame_seconds = 1 / 16
    assert longer.end_seconds - shorter.end_seconds == pytest.approx(16 * frame_seconds)
    assert tasks["detection"].config.single_clip_fps == 10.0
    name = mixed.labels.videos("test")[-1]
    counts = [built["anomaly"]._frame_counts(name) for built in (tasks, usual)]
    total = [int((found.anomalous + found.normal).sum()) for found in counts]
    assert total[0] - total[1] == 16


def test_without_a_column_every_video_is_for_detection(mixed):
    columns = {name: values for name, values in mixed.labels.columns.items() if name != "detection"}
    task = build_tasks(
        ["detection"], mixed.features, replace(mixed.labels, columns=columns), segments=mixed.segments
    )["detection"]
    assert task.videos.names("test") == mixed.labels.videos("test")
    assert task.classes == ["alarm", "event0", "event1"]


def test_a_column_detection_of_other_values_is_refused(mixed):
    labels = with_columns(mixed.labels, detection=["yes"] * len(mixed.labels.video))
    with pytest.raises(InputError, match=r"detection must be 1 .* got 'yes'"):
        build_tasks(["detection"], mixed.features, labels, segments=mixed.segments)


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        ((), ["detection"]),
        (("action",), ["action", "detection"]),
        (("anomaly",), ["anomaly"]),
        (("action", "detection", "anomaly"), ["action", "detection", "anomaly"]),
    ],
)
def test_columns_say_which_tasks_there_are(mixed, columns, expected):
    labels = with_columns(mixed.labels, **{name: mixed.labels.column(name) for name in columns})
    assert available_tasks(labels, mixed.segments) == expected
    assert available_tasks(labels, None) == [name for name in expected if name == "action"]


def test_motion_is_no_task_with_labels():
    assert split_motion(["action", "motion", "anomaly"]) == (("action", "anomaly"), True)
    assert split_motion(["detection"]) == (("detection",), False)
    with pytest.raises(
        InputError, match="tasks must be among action, detection, anomaly, motion, got 'moton'"
    ):
        split_motion(["action", "moton"])
