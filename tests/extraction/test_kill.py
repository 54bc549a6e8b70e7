"""An extraction that is killed again and again ends in the store that an undisturbed one makes."""

import multiprocessing
import os
import random
import signal
import time
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.store import FeatureStore, find_problems
from latentveil.types import Sampling

NUM_KILLS = 20
SAMPLING = Sampling(static_clips=2)
OPTIONS = ExtractOptions(shard_videos=2)


@pytest.fixture
def many_videos(videos, tmp_path) -> Path:
    folder = tmp_path / "many"
    for copy in range(2):
        (folder / str(copy)).mkdir(parents=True)
        for path in videos.iterdir():
            os.link(path, folder / str(copy) / path.name)
    return folder


def start_extraction(videos: Path, store: Path) -> multiprocessing.Process:
    """An extraction in a process of its own, once it has begun to write."""
    # A fork server imports torch once, so that a start costs milliseconds and the kills hit the extraction itself.
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["latentveil.extraction"])
    options = {"encoder": "tiny", "sampling": SAMPLING, "options": OPTIONS}
    process = context.Process(target=run_extraction, args=([videos], store), kwargs=options)
    process.start()
    while process.is_alive() and not has_begun(process, store / ".work"):
        time.sleep(0.001)
    return process


def has_begun(process: multiprocessing.Process, runs: Path) -> bool:
    with suppress(FileNotFoundError):  # of a run that was killed, and is cleared away just now
        return any(f'"process": {process.pid},' in run.read_text() for run in runs.glob("run-*.json"))
    return False


def count_shards(store: Path) -> int:
    return len(list(store.glob("shard-*.parquet")))


def wait_for_shards(process: multiprocessing.Process, store: Path, count: int) -> None:
    """Until the store has so many shards, or the process is done: on a busy machine time alone says nothing."""
    while process.is_alive() and count_shards(store) < count:
        time.sleep(0.001)


def assert_equal_stores(store: Path, undisturbed: Path) -> None:
    assert find_problems(store) == []
    ours, expected = FeatureStore(store).read(), FeatureStore(undisturbed).read()
    for column in ("video", "clip", "start_frame", "time", "kind", "view"):
        assert getattr(ours, column).tolist() == getattr(expected, column).tolist()
    np.testing.assert_allclose(ours.feature, expected.feature, rtol=1e-5, atol=1e-5)


def test_twenty_kills_leave_no_trace(many_videos, tmp_path):
    undisturbed = start_extraction(many_videos, tmp_path / "undisturbed")
    began = time.monotonic()
    undisturbed.join()
    assert undisturbed.exitcode == 0
    half = (time.monotonic() - began) / 2

    moments = random.Random(0)
    kills = rounds = num_resumed = 0
    while kills < NUM_KILLS:
        store = tmp_path / f"store{rounds}"
        rounds += 1
        finished = False
        while not finished and kills < NUM_KILLS:
            shards = count_shards(store)
            process = start_extraction(many_videos, store)
            wait_for_shards(process, store, shards + moments.choice((0, 1)))
            process.join(moments.uniform(0, half / 2))
            process.kill()
            process.join()
            assert process.exitcode in (
                0,
                -signal.SIGKILL,
            )  # done before the kill, or killed; never a fault of its own
            finished = process.exitcode == 0
            kills += not finished
        report = run_extraction([many_videos], store, encoder="tiny", sampling=SAMPLING, options=OPTIONS)
        num_resumed += report.num_skipped
        assert_equal_stores(store, tmp_path / "undisturbed")
    assert num_resumed > 0  # the kills came while there was something to keep
