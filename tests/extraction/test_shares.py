"""Several runs on one store divide the videos: none is lost, none done twice, a dead run's share is taken over."""

import json
import multiprocessing
import os
import signal
import threading
import time
from pathlib import Path

import pytest

from latentveil.errors import InputError
from latentveil.extraction import ExtractOptions, run_extraction
from latentveil.extraction.inputs import VideoInput
from latentveil.extraction.shares import cut_shares, plan_name
from latentveil.store import FeatureStore, find_problems
from latentveil.store.presence import Presence
from latentveil.types import Sampling

OPTIONS = ExtractOptions(shard_videos=1)
SETTINGS = {"encoder": "tiny", "sampling": Sampling(static_clips=2), "options": OPTIONS}


def content(store: Path) -> dict[str, bytes]:
    """Every file that readers see, byte by byte."""
    return {path.name: path.read_bytes() for path in sorted(store.iterdir()) if path.name[0] != "."}


def start_run(videos: Path, store: Path) -> multiprocessing.Process:
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["latentveil.extraction"])
    process = context.Process(target=run_extraction, args=([videos], store), kwargs=SETTINGS)
    process.start()
    return process


def open_claims(store: Path, process: multiprocessing.Process) -> set[str]:
    """The shares that a process has claimed and not finished."""
    runs = {
        path.stem.removeprefix("run-")
        for path in store.glob(".work/run-*.json")
        if json.loads(path.read_text() or "{}").get("process") == process.pid
    }
    claims = {path.stem for path in store.glob(".work/*/*.1") if path.read_text() in runs}
    return claims - {path.stem for path in store.glob(".work/*/*.done")}


def kill_at_work(store: Path, process: multiprocessing.Process) -> None:
    """Kill -9 in the middle of a share."""
    while True:
        assert process.is_alive(), "the run ended before it could be killed"
        if open_claims(store, process):
            os.kill(process.pid, signal.SIGSTOP)
            if open_claims(store, process):
                break
            os.kill(process.pid, signal.SIGCONT)
        time.sleep(0.002)
    process.kill()
    process.join()


def test_three_runs_one_killed_lose_and_double_nothing(videos, tmp_path):
    many = tmp_path / "many"
    for copy in range(3):
        (many / str(copy)).mkdir(parents=True)
        for path in videos.iterdir():
            os.link(path, many / str(copy) / path.name)
    run_extraction([many], tmp_path / "alone", **SETTINGS)
    processes = [start_run(many, tmp_path / "together") for _ in range(3)]
    kill_at_work(tmp_path / "together", processes[0])
    for process in processes[1:]:
        process.join()
        assert process.exitcode == 0
    assert content(tmp_path / "together") == content(tmp_path / "alone")
    assert find_problems(tmp_path / "together") == []
    assert not (tmp_path / "together" / ".work").exists()


def test_runs_report_each_video_once_and_every_failure(videos, tmp_path):
    places = [videos, tmp_path / "bad.mp4"]
    places[1].write_text("no video")
    reports = []

    def run() -> None:
        reports.append(run_extraction(places, tmp_path / "store", **SETTINGS))

    threads = [threading.Thread(target=run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sum(report.num_videos for report in reports) == len(FeatureStore(tmp_path / "store").videos) == 6
    for report in reports:
        assert [failure.video.video for failure in report.failures] == ["bad"]
        assert report.num_videos + report.num_skipped == 6


def test_runs_with_other_videos_are_refused_while_one_works(videos, tmp_path):
    run_extraction([videos / "a.mp4"], tmp_path / "store", **SETTINGS)
    with (
        Presence(FeatureStore(tmp_path / "store").path, plan="of other videos"),
        pytest.raises(
            InputError, match=r"same videos and shard_videos, got others than those of process \d+"
        ),
    ):
        run_extraction([videos], tmp_path / "store", **SETTINGS)


def test_shares_follow_from_the_names_alone():
    videos = [VideoInput(name, Path(f"{name}.mp4")) for name in "abcde"]
    shares = cut_shares(videos, 2)
    assert [[video.video for video in share.videos] for share in shares] == [["a", "b"], ["c", "d"], ["e"]]
    elsewhere = [VideoInput(video.video, Path("/mnt") / video.path) for video in videos]
    assert plan_name(cut_shares(elsewhere, 2)) == plan_name(shares) != plan_name(cut_shares(videos, 3))


def test_several_processes_of_one_run_write_the_same_bytes(videos, tmp_path):
    run_extraction([videos], tmp_path / "one", encoder="tiny", options=ExtractOptions(shard_videos=4))
    run_extraction(
        [videos], tmp_path / "two", encoder="tiny", options=ExtractOptions(shard_videos=4, workers=2)
    )
    assert content(tmp_path / "one") == content(tmp_path / "two")
