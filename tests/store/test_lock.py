from __future__ import annotations

import os
import signal
import subprocess
import sys
import time

import pytest

from latentveil.errors import InputError
from latentveil.store import StoreWriter
from latentveil.store.lock import FolderLock, committing, start_run

HOLDER = """
import os, sys, time
from pathlib import Path
from latentveil.store.lock import FolderLock
FolderLock(Path(sys.argv[1])).acquire()
if os.fork() == 0:  # an idle worker that outlives its coordinator
    print(os.getpid(), flush=True)
time.sleep(60)
"""


def test_a_second_writer_is_refused_and_told_by_whom(tmp_path, build):
    with StoreWriter(tmp_path, build.manifest()):
        with (
            pytest.raises(InputError, match=f"process {os.getpid()}"),
            StoreWriter(tmp_path, build.manifest()),
        ):
            pass
        with pytest.raises(InputError), StoreWriter(tmp_path, build.manifest()):
            pass
    with StoreWriter(tmp_path, build.manifest()):
        pass


def test_kill_9_frees_the_lock_even_if_a_forked_worker_lives_on(tmp_path):
    holder = subprocess.Popen([sys.executable, "-c", HOLDER, tmp_path], stdout=subprocess.PIPE)
    worker = int(holder.stdout.readline())
    try:
        with pytest.raises(InputError, match=f"process {holder.pid}"):
            FolderLock(tmp_path).acquire()
        holder.kill()
        holder.wait()
        os.kill(worker, 0)  # still there
        lock = FolderLock(tmp_path)
        lock.acquire()
        lock.release()
    finally:
        os.kill(worker, signal.SIGKILL)
        holder.kill()
        holder.wait()
        holder.stdout.close()


def test_a_worker_of_an_earlier_run_cannot_add_a_shard(tmp_path, build):
    with StoreWriter(tmp_path, build.manifest()) as writer:
        orphan = writer.shard_writer()
    with StoreWriter(tmp_path, build.manifest()) as writer:
        with pytest.raises(InputError, match="latest run"):
            orphan.write_shard(build.video("a"))
        assert writer.finished_videos() == set()
    assert not list(tmp_path.glob("*.tmp"))


def test_a_new_run_waits_for_a_commit_in_progress(tmp_path):
    run = start_run(tmp_path)
    with committing(tmp_path, run):
        child = os.fork()
        if child == 0:
            start_run(tmp_path)
            os._exit(0)
        time.sleep(0.1)
        assert os.waitpid(child, os.WNOHANG) == (0, 0), (
            "the next run must not start before the file is in place"
        )
    assert os.waitpid(child, 0) == (child, 0)
