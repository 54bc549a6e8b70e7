"""`veil apply --forget` says what became of the key, and is refused where there is none to forget."""

import json

import pytest

from latentveil.adapters import forget
from latentveil.adapters.adapter import Adapter
from latentveil.cli.main import main


@pytest.fixture
def release(adapter_with_key, toy_folder, tmp_path):
    """What `veil apply` is given: an adapter with a key, its store, and where the release goes."""
    return adapter_with_key, toy_folder / "raw", "-o", tmp_path / "safe"


@pytest.fixture
def run(monkeypatch):
    def run(*arguments):
        monkeypatch.setattr("sys.argv", ["veil", "apply", *map(str, arguments)])
        with pytest.raises(SystemExit) as leaving:
            main()
        return leaving.value.code

    return run


def test_the_second_time_all_was_there_and_the_key_is_gone(release, run, capsys):
    assert run(*release, "--forget") == 0
    first = capsys.readouterr().err
    assert f"The key in {release[0]} is destroyed." in first
    assert "were there before" not in first
    assert run(*release, "--forget") == 0
    second = capsys.readouterr().err
    assert "videos were there before" in second
    assert f"The key in {release[0]} is gone already." in second
    assert "hides less" not in second


def test_one_json_object_says_whether_the_key_is_gone(release, run, capsys):
    told = []
    for options in ([], ["--forget"], ["--forget"]):
        assert run(*release, "--json", *options) == 0
        told.append(json.loads(capsys.readouterr().out))
    assert [one["key_forgotten"] for one in told] == [False, True, True]
    assert [one["videos"] for one in told] == [96, 96, 96]


def test_the_same_command_finishes_what_was_stopped(release, run, monkeypatch, capsys):
    def dies(file):
        file.write_bytes(b"random")
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(forget, "_overwrite", dies)
        assert run(*release, "--forget") != 0
    assert run(*release) == 2
    assert "Give that `veil apply … --forget` again" in capsys.readouterr().err
    assert run(*release, "--forget") == 0
    assert f"The key in {release[0]} is destroyed." in capsys.readouterr().err


def test_what_has_no_key_is_told_so(toy_folder, tmp_path, run, capsys):
    Adapter(dim=24, architecture="affine").save(tmp_path / "adapter")
    assert run(tmp_path / "adapter", toy_folder / "raw", "-o", tmp_path / "safe", "--forget") == 2
    assert "must hold a key to forget" in capsys.readouterr().err
    assert not (tmp_path / "safe").exists()
    assert run("blur", tmp_path, "-o", tmp_path / "safe", "--forget") == 1
    assert "forget must be left out here, got some" in capsys.readouterr().err
    assert not (tmp_path / "safe").exists()
