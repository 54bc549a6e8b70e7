"""The user cache: its place, and filling it from several processes."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Barrier

import pytest

from latentveil.encoders.cache import cache_folder, fill_once
from latentveil.errors import InputError


def test_place_of_the_cache(monkeypatch):
    monkeypatch.setenv("LATENTVEIL_CACHE", "/a/b")
    assert cache_folder() == Path("/a/b")
    monkeypatch.delenv("LATENTVEIL_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", "/c")
    assert cache_folder() == Path("/c/latentveil")
    monkeypatch.delenv("XDG_CACHE_HOME")
    monkeypatch.setenv("HOME", "/home/somebody")
    assert cache_folder() == Path("/home/somebody/.cache/latentveil")


def test_of_several_fillers_one_wins_and_nothing_else_is_left(tmp_path):
    target, ready = tmp_path / "deep" / "target", Barrier(4)

    def fill(number: int) -> None:
        with fill_once(target) as folder:
            for part in ("a", "b"):
                (folder / part).write_text(str(number))
            assert not target.exists()
            ready.wait(timeout=10)

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(fill, range(4)))
    assert (target / "a").read_text() == (target / "b").read_text()
    assert os.listdir(target.parent) == ["target"]


def test_a_failure_leaves_nothing(tmp_path):
    def fail() -> None:
        with fill_once(tmp_path / "target") as folder:
            (folder / "half").write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        fail()
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "file").write_text("")
    with (
        pytest.raises(InputError, match=r"cache folder must be writable, got .*file"),
        fill_once(tmp_path / "file" / "x"),
    ):
        pass
