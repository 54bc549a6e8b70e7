"""The record of a folder of rewritten videos is there whole or not at all; a damaged one is refused with a sentence."""

import errno
import os

import pytest

from latentveil.errors import InputError
from latentveil.pixels.rewritten import RECORD, DoneList, claim


def test_a_full_disk_leaves_no_record_and_the_next_run_goes_on(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(errno.ENOSPC, "No space left on device")

    with monkeypatch.context() as patched:
        patched.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="No space left on device"):
            claim(tmp_path, {"anonymizer": "blur"})
    assert not list(tmp_path.iterdir())
    claim(tmp_path, {"anonymizer": "blur"})
    claim(tmp_path, {"anonymizer": "blur"})


def test_a_damaged_record_is_refused(tmp_path):
    (tmp_path / RECORD).write_text("")
    with pytest.raises(InputError, match="must be the record of rewritten videos"):
        claim(tmp_path, {"anonymizer": "blur"})


def test_half_a_line_is_not_a_finished_video(tmp_path):
    (tmp_path / "a.mp4").touch()
    (tmp_path / "b.mp4").touch()
    done = DoneList(tmp_path)
    done.add("a", tmp_path / "a.mp4", frames=3)
    with open(tmp_path / "videos.csv", "a") as file:
        file.write("b,b.m")
    found = DoneList(tmp_path)
    assert "a" in found
    assert "b" not in found
    assert (tmp_path / "videos.csv").read_text().splitlines() == ["video,path,frames", "a,a.mp4,3"]


def test_only_what_differs_is_told(tmp_path):
    blur = {"level": "pixels", "strength": 0.05}
    claim(tmp_path, {"anonymizer": blur, "keep_sound": False})
    with pytest.raises(InputError) as refused:
        claim(tmp_path, {"anonymizer": blur | {"strength": 0.1}, "keep_sound": False})
    assert "options: anonymizer.strength is 0.05 there, got 0.1. Choose another folder." in str(refused.value)
    (tmp_path / RECORD).write_text("[]")
    with pytest.raises(InputError, match="must be the record of rewritten videos"):
        claim(tmp_path, {"anonymizer": blur, "keep_sound": False})
