"""Outputs are checked before the work, appear whole or not at all, and one run at a time writes them."""

from __future__ import annotations

import resource
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

import numpy as np
import pytest

import latentveil as lv
from latentveil.auditing.files import render_again
from latentveil.errors import InputError, Notice
from latentveil.files import outputs
from latentveil.files.outputs import require_output_folder, write_whole, written_whole
from latentveil.store import FeatureStore
from latentveil.store import export_features as exports
from latentveil.store.one_run import RUNNING, one_run_in


@contextmanager
def files_end_at(num_bytes):
    """No file may grow beyond this, as on a full disk."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (num_bytes, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


def names_in(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


@pytest.fixture(scope="module")
def store(toy_folder):
    return FeatureStore(toy_folder / "raw")


def test_a_file_appears_whole_or_not_at_all(tmp_path):
    write_whole(tmp_path / "a.txt", "first")
    with pytest.raises(InputError, match=r"a\.txt must be writable, got: File too large"), files_end_at(10):
        write_whole(tmp_path / "a.txt", "x" * 100)
    with suppress(RuntimeError), written_whole(tmp_path / "b.txt") as temporary:
        temporary.write_text("half")
        raise RuntimeError
    assert (tmp_path / "a.txt").read_text() == "first"
    assert names_in(tmp_path) == ["a.txt"]


@pytest.mark.parametrize("place", ["file", "file/below", "/proc/no/such"])
def test_a_folder_that_cannot_be_written_is_refused_and_nothing_is_made(tmp_path, place):
    (tmp_path / "file").write_text("mine")
    with pytest.raises(InputError, match="must be"):
        require_output_folder(tmp_path / place)
    assert names_in(tmp_path) == ["file"]


def test_audit_and_fit_refuse_their_output_before_they_read_anything(tmp_path):
    (tmp_path / "out").write_text("mine")
    for verb in (
        lambda: lv.audit("no", "no", "no", tmp_path / "out"),
        lambda: lv.fit("no", "no", tmp_path / "out"),
    ):
        with pytest.raises(InputError, match="must be a folder, got a file"):
            verb()
    assert (tmp_path / "out").read_text() == "mine"


def test_a_page_of_somebody_else_is_never_overwritten(tmp_path, example_audit):
    (tmp_path / "report.html").write_text("<p>mine</p>")
    with pytest.raises(InputError, match=r"report\.html must be of an audit"):
        lv.audit("no", "no", "no", tmp_path)
    audit = example_audit.save(tmp_path / "audit")
    for page in (tmp_path / "report.html", tmp_path / "audit"):
        with pytest.raises(InputError, match="must be"):
            render_again(audit, page)
    assert render_again(audit).is_file()  # its own page it may replace
    (audit / "report.html").write_text("<p>mine</p>")
    with pytest.raises(InputError, match="must be the report of an audit"):
        example_audit.save(audit)
    assert (tmp_path / "report.html").read_text() == "<p>mine</p>"


def test_two_runs_do_not_write_one_folder(tmp_path):
    program = (
        "import sys, time; from pathlib import Path; from latentveil.store.one_run import one_run_in\n"
        "with one_run_in(Path(sys.argv[1])): print('in', flush=True); time.sleep(60)"
    )
    command = [sys.executable, "-c", program, str(tmp_path / "out")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as other:
        assert other.stdout.readline() == "in\n"
        for verb in (
            lambda: lv.audit("no", "no", "no", tmp_path / "out"),
            lambda: lv.fit("no", "no", tmp_path / "out"),
        ):
            with pytest.raises(InputError, match=f"one writing run at a time.*process {other.pid}"):
                verb()
        other.kill()
    started = time.monotonic()
    with one_run_in(tmp_path / "out"):  # what a killed run left does not lock
        assert names_in(tmp_path / "out") == [RUNNING]
    assert time.monotonic() - started < 5
    assert not (tmp_path / "out").exists()


def test_an_export_to_npy_goes_on_after_it_was_stopped(tmp_path, store, monkeypatch):
    usual, calls = np.save, []

    def save(file, feature):
        calls.append(file)
        if len(calls) == 5:
            raise KeyboardInterrupt
        usual(file, feature)

    monkeypatch.setattr(exports.np, "save", save)
    with pytest.raises(KeyboardInterrupt):
        lv.export_features(store, npy=tmp_path / "out")
    assert len([name for name in names_in(tmp_path / "out") if name.endswith(".npy")]) == 4
    lv.export_features(store, npy=tmp_path / "out")
    lv.export_features(store, npy=tmp_path / "whole")
    assert len(calls) == 1 + 2 * len(store.videos) * 2
    assert names_in(tmp_path / "out") == names_in(tmp_path / "whole")
    with pytest.warns(Notice, match="holds this very export already"):
        lv.export_features(store, npy=tmp_path / "out")
    (tmp_path / "out" / "mine.txt").touch()
    with pytest.raises(InputError, match="must be a new or an empty folder"):
        lv.export_features(store, npy=tmp_path / "out")


@pytest.mark.parametrize("form", ["npy", "npz", "h5"])
def test_an_export_to_a_full_disk_ends_with_a_sentence_and_leaves_nothing_half(
    tmp_path, store, form, monkeypatch
):
    monkeypatch.setattr(outputs, "PROBE_BYTES", 0)  # the disk is full later than it is looked at
    target = tmp_path / f"out.{form}"
    # a file of the form npy holds one video, of about 400 bytes
    with (
        pytest.raises(InputError, match=r"out(_static)?\.\w+.* must be writable, got: "),
        files_end_at(300 if form == "npy" else 20_000),
    ):
        lv.export_features(store, **{form: target})
    left = [name for name in names_in(tmp_path) if name.endswith((".tmp", ".npy/", ".npz", ".h5"))]
    assert left == []
    assert not [path for path in tmp_path.rglob("*.npy") if path.is_file()]


def test_what_a_killed_export_left_is_overwritten(tmp_path, store):
    (tmp_path / ".out.h5.tmp").write_bytes(b"half")
    lv.export_features(store, h5=tmp_path / "out.h5")
    assert ".out.h5.tmp" not in names_in(tmp_path)
    assert len(lv.import_features(tmp_path / "out.h5", tmp_path / "store", progress=False).videos) == len(
        store.videos
    )


def test_a_shard_on_a_full_disk_names_the_store(tmp_path):
    np.save(tmp_path / "video.npy", np.random.default_rng(0).normal(size=(100, 64)).astype(np.float32))
    with (
        pytest.raises(InputError, match=r"store/shard-\w+\.parquet must be writable, got: "),
        files_end_at(10_000),
    ):
        lv.import_features(tmp_path / "video.npy", tmp_path / "store", progress=False)
    assert not [name for name in names_in(tmp_path / "store") if name.endswith((".parquet", ".tmp"))]
    assert lv.import_features(tmp_path / "video.npy", tmp_path / "store", progress=False).videos == ["video"]


def test_a_foreign_audit_json_is_never_overwritten(tmp_path, example_audit):
    for content in ('{"mine": 1}', "no JSON", "[]"):
        (tmp_path / "audit.json").write_text(content)
        with pytest.raises(
            InputError, match=r"audit\.json must be of an audit to be replaced, got another file"
        ):
            lv.audit("no", "no", "no", tmp_path)
        assert names_in(tmp_path) == ["audit.json"]
        assert (tmp_path / "audit.json").read_text() == content
    own = example_audit.save(tmp_path / "own")
    assert example_audit.save(own) == own


@pytest.mark.parametrize("name", ["tune.json", "tune.md"])
def test_foreign_files_of_a_tuning_are_never_overwritten(tmp_path, name):
    (tmp_path / name).write_text('{"mine": 1}')
    with pytest.raises(InputError, match=rf"{name} must be of a tuning to be replaced"):
        lv.tune("no", "no", tmp_path)
    assert names_in(tmp_path) == [name]
    assert (tmp_path / name).read_text() == '{"mine": 1}'
