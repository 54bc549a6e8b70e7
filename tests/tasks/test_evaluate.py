"""Fresh heads on a store: each task learns what is there, and finds nothing where nothing is left."""

import json
from dataclasses import replace

import numpy as np
import pytest

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.apply import apply
from latentveil.errors import InputError
from latentveil.labels import write_segments
from latentveil.metrics.detection_map import Detections, score_detections
from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.evaluate import evaluate


@pytest.fixture(scope="module")
def folder(mixed, write_store, tmp_path_factory):
    """One store, one labels.csv and one segments.csv for three tasks on different videos; a safe store of zeros."""
    path = tmp_path_factory.mktemp("mixed")
    write_store(path / "raw", mixed.features)
    mixed.labels.write(path / "labels.csv")
    write_segments(path / "segments.csv", mixed.segments)
    adapter = Adapter(dim=mixed.features.dim, architecture="affine")
    adapter.network.weight.zero_()
    adapter.save_pretrained(path / "zeros")
    apply(path / "zeros", path / "raw", path / "safe")
    return path


def measure(task, folder, store="raw", **options):
    return evaluate(task, folder / store, folder / "labels.csv", segments=folder / "segments.csv", **options)


def test_action_on_raw_and_on_empty_features(folder):
    raw = measure("action", folder, seeds=(0, 1))
    assert raw.metric == "top1"
    assert raw.mean > 0.9
    assert not raw.anonymized
    empty = measure("action", folder, "safe", seeds=(0,))
    assert empty.anonymized
    assert empty.mean <= empty.chance


def test_anomaly_on_raw_features(folder):
    raw = measure("anomaly", folder, seeds=(0,))
    assert raw.metric == "auc"
    assert raw.mean > 0.8
    assert set(raw.details) == {"ap"}


def test_the_sanity_baseline_finds_anomalies_too(folder):
    found = measure("anomaly", folder, seeds=(0,), head="sultani")
    assert found.mean > 0.8
    assert found.mean != measure("anomaly", folder, seeds=(0,)).mean


def written_detections(path):
    rows = [
        (video, found["label"], found["score"], *found["segment"])
        for video, items in json.loads(path.read_text())["results"].items()
        for found in items
    ]
    return Detections(*(np.array(column) for column in zip(*rows)))


def test_detections_in_the_file_have_the_score_that_is_reported(folder, mixed, tmp_path, monkeypatch):
    quick = replace(
        TriDetConfig.small(), width=32, mlp_width=48, num_levels=2, head_layers=1, batch_size=4,
        learning_rate=3e-3, warmup_epochs=2, cosine_epochs=13, min_steps=150,
    )  # fmt: skip
    monkeypatch.setattr(TriDetConfig, "small", lambda: quick)
    found = measure("detection", folder, seeds=(0,), predictions=tmp_path / "found.json")
    assert found.mean > 0.5
    assert list(found.details) == ["mAP@0.3", "mAP@0.4", "mAP@0.5", "mAP@0.6", "mAP@0.7"]
    test = [name for name in mixed.labels.videos("test") if name.startswith("detection")]
    again = score_detections(
        written_detections(tmp_path / "found.json"), {name: mixed.segments[name] for name in test}
    )
    assert again.interval.value == pytest.approx(found.mean, abs=1e-9)


def test_numbers_over_seeds_are_means_of_the_single_ones(folder):
    found = measure("action", folder, seeds=(3, 5))
    assert [head.seed for head in found.heads] == [3, 5]
    values = [head.score.interval.value for head in found.heads]
    assert found.mean == pytest.approx(np.mean(values))
    assert found.spread == pytest.approx(np.std(values, ddof=1))
    assert found.details["mean_class"] == pytest.approx(
        np.mean([head.score.details["mean_class"] for head in found.heads])
    )
    assert found.to_dict()["seeds"][1]["value"] == values[1]
    assert measure("action", folder, seeds=(3,)).to_dict()["spread"] is None


@pytest.mark.parametrize(
    ("task", "options", "message"),
    [
        ("sleeping", {}, "tasks must be among action, detection, anomaly, got 'sleeping'"),
        ("action", {"seeds": ()}, "seeds must be one or more"),
        ("anomaly", {"predictions": "x.json"}, "predictions must be asked for with the task detection"),
    ],
)
def test_wrong_requests_are_refused(folder, task, options, message):
    with pytest.raises(InputError, match=message):
        measure(task, folder, **options)


def test_detection_without_segments_is_refused(folder):
    with pytest.raises(InputError, match="segments must be given for the task detection"):
        evaluate("detection", folder / "raw", folder / "labels.csv")


def test_of_features_in_memory_it_is_not_said_that_they_are_raw(folder, mixed):
    segments = folder / "segments.csv"
    found = evaluate("action", mixed.features, mixed.labels, segments=segments, seeds=1, progress=False)
    assert found.anonymized is None
    assert str(found).startswith("action on features in memory: top1")
