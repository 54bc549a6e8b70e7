"""`veil datasets` on the command line: what goes where, and the exit status."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from latentveil.datasets import DATA_SETS


def veil(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "latentveil", "datasets", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.fixture
def falls(tmp_path) -> Path:
    """A little UR Fall Detection."""
    root = tmp_path / "urfd"
    root.mkdir()
    videos = [f"{kind}-{number:02d}-cam0" for kind in ("fall", "adl") for number in range(1, 6)]
    rows = [
        f"{video},{frame},{posture}\n" for video in videos for frame, posture in ((1, -1), (2, 0), (3, 1))
    ]
    (root / "frames.csv").write_text("video,frame,posture\n" + "".join(rows))
    for video in videos:
        (root / f"{video}.mp4").touch()
    return root


def test_the_list_names_every_data_set_with_its_facts():
    shown, listed, as_json = veil(), veil("list"), veil("--json")
    assert shown.returncode == listed.returncode == as_json.returncode == 0
    assert shown.stdout == listed.stdout
    facts = json.loads(as_json.stdout)
    assert list(facts) == DATA_SETS.names()
    for name, known in facts.items():
        assert {"task", "people", "size", "licence", "source", "layout", "settings"} <= set(known)
        assert f"{name}\n  about      {known['about']}" in shown.stdout


def test_json_is_printed_wherever_the_option_stands(falls, tmp_path):
    asked, before, behind = veil("--json"), veil("--json", "list"), veil("list", "--json")
    assert before.returncode == 0
    assert asked.stdout == before.stdout == behind.stdout
    checked = veil("--json", "check", "urfd", falls)
    assert checked.stdout == veil("check", "urfd", falls, "--json").stdout
    assert json.loads(checked.stdout)["present"] == 10
    refused = veil("--json", "prepare", "urfd", falls, "-o", tmp_path / "out")
    assert refused.returncode == 1
    assert "--json must come with a command that takes it, got prepare." in refused.stderr
    assert not (tmp_path / "out").exists()


def test_check_names_what_is_missing_with_status_2(falls):
    (falls / "adl-02-cam0.mp4").unlink()
    done = veil("check", "urfd", falls)
    assert done.returncode == 2
    assert "files: 9 of 10" in done.stdout
    assert "missing video: adl-02-cam0 must be at adl-02-cam0.mp4, got no such file." in done.stdout
    assert "wrong count: train must be 42 videos, got 6." in done.stdout
    assert "urfd is not complete: 3 × wrong count, 1 × missing video." in done.stderr
    as_json = json.loads(veil("check", "urfd", falls, "--json").stdout)
    assert as_json["labelled"] == {"train": 6, "val": 2, "test": 2}
    assert as_json["present"] == 9
    assert as_json["findings"][-1]["where"] == "adl-02-cam0.mp4"


def test_prepare_prints_its_files_and_takes_settings(falls, tmp_path):
    done = veil("prepare", "urfd", falls, "-o", tmp_path / "out", "--set", "seed=3")
    assert done.returncode == 0, done.stderr
    assert [Path(line).name for line in done.stdout.splitlines()] == [
        "labels.csv",
        "segments.csv",
        "videos.csv",
    ]
    assert "10 videos with labels. Next: veil extract" in done.stderr
    wrong = veil("prepare", "urfd", falls, "-o", tmp_path / "out", "--set", "seed")
    assert wrong.returncode == 1
    assert "veil: --set must be of the form name=value, got 'seed'." in wrong.stderr


def test_wrong_use_and_unknown_names(tmp_path):
    assert veil("check", "urfd").returncode == 1
    assert veil("prepare", "urfd", tmp_path).returncode == 1
    unknown = veil("check", "urfdd", tmp_path)
    assert unknown.returncode == 1
    assert "data set must be one of actors, " in unknown.stderr


def test_a_data_set_of_another_package_is_taken_by_its_place(tmp_path, monkeypatch):
    (tmp_path / "mine.py").write_text(
        "from latentveil.datasets import DataSet, Prepared, Row\n"
        "def read(root, settings):\n"
        "    return Prepared.from_rows([Row('a', root.video('a', ending='.mp4'), 'train')])\n"
        "data_set = DataSet(name='mine', task='action', about='Mine.', people='none', size='1', licence='mine',\n"
        "                   source='me', layout=('a.mp4',), reader=read)\n"
    )
    (tmp_path / "a.mp4").touch()
    monkeypatch.setenv("PYTHONPATH", str(tmp_path), prepend=":")
    done = veil("check", "mine:data_set", tmp_path)
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "mine is complete: 1 videos.")
