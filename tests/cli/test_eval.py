import json
import sys

import pytest

from latentveil.cli.main import main
from latentveil.store import Manifest, StoreWriter
from latentveil.types import EncoderInfo, Sampling


@pytest.fixture(scope="module")
def folder(toy, tmp_path_factory):
    path = tmp_path_factory.mktemp("toy")
    encoder = EncoderInfo("toy", "0" * 64, toy.features.dim, 16, 64, (0.5,) * 3, (0.5,) * 3, "none")
    with StoreWriter(path / "raw", Manifest(encoder=encoder, sampling=Sampling(static_clips=3))) as writer:
        writer.write_shard(toy.features)
        writer.finish()
    toy.labels.write(path / "labels.csv")
    return path


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["veil", "eval", *map(str, arguments)])
    with pytest.raises(SystemExit) as leaving:
        main()
    return leaving.value.code


def test_one_json_object_is_all_there_is_on_standard_output(folder, monkeypatch, capsys):
    options = ("--labels", folder / "labels.csv", "--seeds", 2, "--json")
    assert run(monkeypatch, "action", folder / "raw", *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["task"] == "action"
    assert found["metric"] == "top1"
    assert found["mean"] > 0.9
    assert [head["seed"] for head in found["seeds"]] == [0, 1]
    assert all(head["low"] <= head["value"] <= head["high"] for head in found["seeds"])


def test_a_line_for_every_seed_and_one_for_the_mean(folder, monkeypatch, capsys):
    assert run(monkeypatch, "action", folder / "raw", "--labels", folder / "labels.csv", "--seeds", 1) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "action on raw features: top1, chance 0.333"
    assert [line.split()[0] for line in lines[1:]] == ["seed", "mean"]


def test_a_task_that_lacks_its_input_ends_with_status_2(folder, monkeypatch, capsys):
    assert run(monkeypatch, "detection", folder / "raw", "--labels", folder / "labels.csv") == 2
    assert "Add --segments segments.csv" in capsys.readouterr().err
    assert run(monkeypatch, "anomaly", folder / "raw", "--labels", folder / "nothing.csv") == 2


def test_wrong_use_ends_with_status_1(folder, monkeypatch):
    assert run(monkeypatch, "action", folder / "raw", "--labels", folder / "labels.csv", "--seeds", 0) == 1
