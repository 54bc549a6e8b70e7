import json

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.metrics.detection_map import Detections
from latentveil.tasks.detection.predictions import read_predictions, write_predictions


def test_what_was_written_is_read(tmp_path):
    detections = Detections(
        video=np.array(["a", "a", "b"]),
        label=np.array(["Diving", "Shotput", "Diving"]),
        score=np.array([0.9, 0.1, 1 / 3]),
        start_seconds=np.array([0.0, 1.5, 2.0]),
        end_seconds=np.array([1.0, 2.5, 7.125]),
    )
    write_predictions(tmp_path / "found.json", detections)
    again = read_predictions(tmp_path / "found.json")
    for name, column in vars(detections).items():
        np.testing.assert_array_equal(getattr(again, name), column)
    content = json.loads((tmp_path / "found.json").read_text())
    assert content["version"]
    assert content["results"]["b"] == [{"label": "Diving", "score": 1 / 3, "segment": [2.0, 7.125]}]


def test_a_video_without_any_is_no_row(tmp_path):
    (tmp_path / "found.json").write_text('{"version": "1", "results": {"a": []}}')
    assert len(read_predictions(tmp_path / "found.json")) == 0


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "[]",
        '{"version": "1"}',
        '{"results": []}',
        '{"results": {"a": 3}}',
        '{"results": {"a": [3]}}',
        '{"results": {"a": [{"label": "x", "score": 0.5}]}}',
        '{"results": {"a": [{"score": 0.5, "segment": [0, 1]}]}}',
        '{"results": {"a": [{"label": "x", "score": 0.5, "segment": [0, 1, 2]}]}}',
        '{"results": {"a": [{"label": "x", "score": 0.5, "segment": [2, 1]}]}}',
        '{"results": {"a": [{"label": "x", "score": NaN, "segment": [0, 1]}]}}',
        '{"results": ' + "[" * 100_000,
        '{"results": {"\\ud800": []}}',
    ],
)
def test_refuses_other_files(tmp_path, text):
    (tmp_path / "found.json").write_text(text)
    with pytest.raises(InputError, match="found"):
        read_predictions(tmp_path / "found.json")


def test_refuses_a_missing_file(tmp_path):
    with pytest.raises(InputError, match="a JSON file of predictions, got: No such file"):
        read_predictions(tmp_path / "none.json")
