import json

import numpy as np

from latentveil.metrics.detection_map import Detections
from latentveil.tasks.detection.predictions import write_predictions


def test_the_file_is_as_the_evaluations_of_activitynet_read_it(tmp_path):
    detections = Detections(
        video=np.array(["a", "a", "b"]),
        label=np.array(["Diving", "Shotput", "Diving"]),
        score=np.array([0.9, 0.1, 1 / 3]),
        start_seconds=np.array([0.0, 1.5, 2.0]),
        end_seconds=np.array([1.0, 2.5, 7.125]),
    )
    write_predictions(tmp_path / "found.json", detections)
    content = json.loads((tmp_path / "found.json").read_text())
    assert content["version"]
    assert content["results"] == {
        "a": [
            {"label": "Diving", "score": 0.9, "segment": [0.0, 1.0]},
            {"label": "Shotput", "score": 0.1, "segment": [1.5, 2.5]},
        ],
        "b": [{"label": "Diving", "score": 1 / 3, "segment": [2.0, 7.125]}],
    }
