"""Each share has one owner at a time; the shares of the dead, and theirs alone, go to others."""

import os
from pathlib import Path

import pytest

from latentveil.errors import InputError
from latentveil.files import place_files
from latentveil.files.place_files import create_file, require_exclusive
from latentveil.files.places import as_place
from latentveil.store import presence as presence_module
from latentveil.store.claims import Claims
from latentveil.store.lock import FolderLock
from latentveil.store.presence import Presence, this_machine

SHARES = ["one", "two", "three"]


@pytest.fixture(params=["local", "memory"])
def store(request, tmp_path):
    return as_place(tmp_path if request.param == "local" else f"memory://claims{tmp_path}")


def test_each_share_is_taken_once(store):
    with Presence(store, "plan") as first, Presence(store, "plan") as second:
        mine, theirs = Claims(first, SHARES), Claims(second, SHARES)
        taken = [claims.take() for claims in (mine, theirs, mine, theirs, mine)]
    assert taken == [("one", False), ("two", False), ("three", False), None, None]


def test_the_share_of_a_run_that_left_goes_to_one_other(store):
    with Presence(store, "plan") as first:
        mine = Claims(first, SHARES)
        with Presence(store, "plan") as second:
            theirs = Claims(second, SHARES)
            assert theirs.take() == ("one", False)
            assert [mine.take(), mine.take(), mine.take()] == [("two", False), ("three", False), None]
        assert mine.take() == ("one", True)
        assert mine.take() is None
        assert mine.owns("one")
        assert not theirs.owns("one")  # should it wake up, it must not write


def test_a_share_that_is_done_stays_done(store):
    with Presence(store, "plan") as first:
        mine = Claims(first, SHARES)
        with Presence(store, "plan") as second:
            theirs = Claims(second, SHARES)
            theirs.take()
            theirs.finish("one", {"failures": [["v", "broken"]]})
        assert [mine.take(), mine.take(), mine.take()] == [("two", False), ("three", False), None]
        assert mine.unfinished() == {"two", "three"}
        assert mine.notes() == {"one": {"failures": [["v", "broken"]]}}


def test_a_run_elsewhere_is_dead_when_its_file_stays_the_same(store, monkeypatch):
    clock = [1000.0]
    monkeypatch.setattr(presence_module.time, "monotonic", lambda: clock[0])
    (store / ".work").mkdir(parents=True)
    far = store / ".work" / "run-far.json"
    far.write_bytes(b'{"machine": "another", "process": 1, "beat": 1}')
    with Presence(store) as here:
        assert here.is_alive("far")
        clock[0] += presence_module.DEAD_SECONDS - 1
        far.write_bytes(b'{"machine": "another", "process": 1, "beat": 2}')
        assert here.is_alive("far")
        clock[0] += presence_module.DEAD_SECONDS - 1
        assert here.is_alive("far")
        clock[0] += 2
        assert not here.is_alive("far")


def test_a_process_of_this_machine_that_is_no_more_is_dead_at_once(tmp_path):
    (tmp_path / ".work").mkdir()
    gone = tmp_path / ".work" / "run-gone.json"
    gone.write_text(f'{{"machine": "{this_machine()}", "process": {os.getpid()}, "started": "0"}}')
    with Presence(tmp_path) as here:
        assert not here.is_alive("gone")  # the number is in use again, by us


def test_a_share_that_creates_files_twice_is_refused(tmp_path, monkeypatch):
    def lying_link(source, target):
        Path(target).write_bytes(Path(source).read_bytes())

    monkeypatch.setattr(place_files.os, "link", lying_link)
    with pytest.raises(InputError, match="must refuse to create a file that is there, got one created twice"):
        require_exclusive(tmp_path)
    with pytest.raises(InputError, match="lies"), Presence(tmp_path):
        pass


def test_a_share_without_links_creates_files_once_all_the_same(tmp_path, monkeypatch):
    def no_links(*_):
        raise PermissionError("no links here")

    monkeypatch.setattr(place_files.os, "link", no_links)
    assert create_file(tmp_path / "a", b"1")
    assert not create_file(tmp_path / "a", b"2")
    assert (tmp_path / "a").read_bytes() == b"1"


def test_a_share_that_grants_every_lock_is_refused(tmp_path, monkeypatch):
    monkeypatch.setattr("latentveil.store.lock.fcntl.flock", lambda *_: None)
    with pytest.raises(InputError, match="grants the same lock twice"):
        FolderLock(tmp_path).acquire()
