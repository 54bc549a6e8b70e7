"""`veil fit` says what the adapter keeps, and what may be lost."""

import json

import numpy as np
import pytest

import latentveil as lv
from latentveil.adapters.adapter import load_adapter
from latentveil.auditing.certificate import bound_of
from latentveil.cli.main import main
from latentveil.errors import UsageError
from latentveil.video.write import write_video


def run(monkeypatch, *arguments):
    monkeypatch.setattr("sys.argv", ["veil", "fit", *map(str, arguments)])
    with pytest.raises(SystemExit) as leaving:
        main()
    return leaving.value.code


def test_who_names_tasks_hears_that_others_may_be_lost(toy_folder, tmp_path, monkeypatch, capsys):
    options = (toy_folder / "raw", "-o", tmp_path / "a", "--labels", toy_folder / "labels.csv")
    assert run(monkeypatch, *options, "--tasks", "action") == 0
    assert "Good for action; other tasks may be lost" in capsys.readouterr().err
    assert load_adapter(tmp_path / "a").architecture == "codebook"


def test_motion_needs_no_labels_and_loses_no_task(toy_folder, tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, toy_folder / "raw", "-o", tmp_path / "a", "--tasks", "motion") == 0
    assert "may be lost" not in capsys.readouterr().err
    assert load_adapter(tmp_path / "a").architecture == "affine"


def test_the_method_motion_keeps_motion_unasked(toy_folder, tmp_path, monkeypatch, capsys):
    options = (toy_folder / "raw", "-o", tmp_path / "a", "--labels", toy_folder / "labels.csv")
    assert run(monkeypatch, *options, "--method", "motion") == 0
    assert "may be lost" not in capsys.readouterr().err


def test_a_pixel_method_says_what_it_made(tmp_path, monkeypatch, capsys):
    frames = np.zeros((4, 32, 32, 3), dtype=np.uint8)
    write_video(tmp_path / "a.mp4", iter(frames))
    options = (tmp_path / "a.mp4", "-o", tmp_path / "p", "--method", "downsample", "--preset", "2x")
    assert run(monkeypatch, *options) == 0
    assert (
        f"downsample -> {tmp_path / 'p'} (frames shrunk 2 times and grown again)." in capsys.readouterr().err
    )


def test_one_json_object_is_all_there_is_on_standard_output(toy_folder, tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, toy_folder / "raw", "-o", tmp_path / "a", "--tasks", "motion", "--json") == 0
    assert json.loads(capsys.readouterr().out)["method"] == "veil"


def test_a_task_without_its_labels_is_wrong_use(toy_folder, tmp_path, monkeypatch, capsys):
    assert run(monkeypatch, toy_folder / "raw", "-o", tmp_path / "a") == 1
    assert "Add --labels labels.csv, or --tasks motion" in capsys.readouterr().err


def test_a_release_takes_no_tasks(toy_folder, tmp_path, monkeypatch, capsys):
    options = ("--release", toy_folder / "raw", "--groups", "stills", "-o", tmp_path / "a")
    assert run(monkeypatch, *options, "--tasks", "detection") == 1
    assert "--tasks must be left out with --release" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
    with pytest.raises(UsageError, match=r"nobody has named, got action\."):
        lv.fit(toy_folder / "raw", release=True, groups="stills", tasks="action", progress=False)
    assert run(monkeypatch, *options, "--set", "transport.components=4") == 0
    assert load_adapter(tmp_path / "a").config["recipe"]["tasks"] == ["motion"]


def test_a_guarantee_is_asked_for_in_one_word(toy_folder, tmp_path, monkeypatch):
    """It took a setting that nobody finds."""
    options = (toy_folder / "raw", "--labels", toy_folder / "labels.csv")
    assert run(monkeypatch, *options, "-o", tmp_path / "a", "--certify", "0.3") == 0
    assert run(monkeypatch, *options, "-o", tmp_path / "b", "--set", "erasure.certify=0.3") == 0
    assert run(monkeypatch, *options, "-o", tmp_path / "c") == 0
    asked, same, usual = (load_adapter(tmp_path / name) for name in "abc")
    assert asked.sha256() == same.sha256() != usual.sha256()
    bound, _ = bound_of(asked, lv.FeatureStore(toy_folder / "raw").read(), lv.Labels.read(options[2]))
    assert bound.advantage == pytest.approx(0.3, abs=1e-6)


@pytest.mark.parametrize("wrong", [("--certify", "1.5"), ("--certify", "0.3", "--groups", "person")])
def test_a_guarantee_that_nobody_can_give_is_refused(toy_folder, tmp_path, monkeypatch, capsys, wrong):
    options = (toy_folder / "raw", "--labels", toy_folder / "labels.csv", "-o", tmp_path / "a")
    assert run(monkeypatch, *options, *wrong) == 1
    assert "certify must be" in capsys.readouterr().err
    assert not (tmp_path / "a").exists()
