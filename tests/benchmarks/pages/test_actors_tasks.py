"""From videos to the page on a few small ones; what is finished is not made again."""

import json

import numpy as np
import pytest

from benchmarks.pages import actors_tasks
from latentveil.extraction import EncoderChoice
from latentveil.joined_labels import merge_labels
from latentveil.labels import Labels


def test_the_page_of_a_few_videos(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(actors_tasks, "EncoderChoice", lambda _, size: EncoderChoice("tiny"))
    monkeypatch.setattr(actors_tasks, "RENDER_SIZE", 64)
    words = [
        str(tmp_path / "work"),
        "--action-videos",
        "24",
        "--detection-videos",
        "0",
        "--anomaly-videos",
        "0",
    ]
    words += ["--seeds", "1", "-o", str(tmp_path / "page.md")]
    actors_tasks.main(words)
    kept = tmp_path / "work" / "results" / "raw-action-1.json"
    found = json.loads(kept.read_text())
    page = (tmp_path / "page.md").read_text()
    assert f"| action | top1 | {found['mean']:.3f} | {found['mean']:.3f} [" in page
    assert "Videos: 24 for action, 64 px" in page
    monkeypatch.setattr(actors_tasks, "evaluate", lambda *_, **__: pytest.fail("evaluated again"))
    actors_tasks.main(words)
    assert (tmp_path / "page.md").read_text() == page
    assert capsys.readouterr().out.endswith(page + "\n")


def test_labels_of_several_sets_become_one_table():
    first = Labels(np.array(["a"]), np.array(["train"]), np.array(["1"]), {"action": np.array(["wave"])})
    second = Labels(np.array(["b"]), np.array(["test"]), np.array(["1"]), {"anomaly": np.array(["0"])})
    merged = merge_labels({"action": first, "anomaly": second})
    assert merged.column("action").tolist() == ["wave", ""]
    assert merged.column("anomaly").tolist() == ["", "0"]
    assert merged.person.tolist() == ["action-1", "anomaly-1"]  # one number, two people
