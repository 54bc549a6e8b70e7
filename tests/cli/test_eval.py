import json
import sys

import pytest

from latentveil.cli.main import main


def run(monkeypatch, *arguments):
    monkeypatch.setattr(sys, "argv", ["veil", "eval", *map(str, arguments)])
    with pytest.raises(SystemExit) as leaving:
        main()
    return leaving.value.code


def test_one_json_object_is_all_there_is_on_standard_output(toy_folder, monkeypatch, capsys):
    options = ("--labels", toy_folder / "labels.csv", "--seeds", 2, "--json")
    assert run(monkeypatch, "action", toy_folder / "raw", *options) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["task"] == "action"
    assert found["metric"] == "top1"
    assert found["mean"] > 0.9
    assert [head["seed"] for head in found["seeds"]] == [0, 1]
    assert all(head["low"] <= head["value"] <= head["high"] for head in found["seeds"])


def test_a_line_for_every_seed_and_one_for_the_mean(toy_folder, monkeypatch, capsys):
    assert (
        run(monkeypatch, "action", toy_folder / "raw", "--labels", toy_folder / "labels.csv", "--seeds", 1)
        == 0
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "action on raw features: top1, chance 0.333"
    assert [line.split()[0] for line in lines[1:]] == ["seed", "mean"]


def test_a_task_that_lacks_its_input_is_refused(toy_folder, monkeypatch, capsys):
    assert run(monkeypatch, "detection", toy_folder / "raw", "--labels", toy_folder / "labels.csv") == 1
    assert "Add --segments segments.csv" in capsys.readouterr().err
    assert run(monkeypatch, "action", toy_folder / "raw", "--labels", toy_folder / "nothing.csv") == 2


def test_wrong_use_ends_with_status_1(toy_folder, monkeypatch):
    assert (
        run(monkeypatch, "action", toy_folder / "raw", "--labels", toy_folder / "labels.csv", "--seeds", 0)
        == 1
    )
