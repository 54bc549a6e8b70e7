"""The middle of a run is what lies between two moments of its progress, and threads are told apart by what they use."""

import os
import threading
import time

import pytest

from benchmarks.scale import kept
from benchmarks.scale.core_time import machine_seconds, thread_seconds
from benchmarks.scale.extraction_run import Moment, Watch
from benchmarks.scale.workers import measure_workers
from latentveil.extraction.run import ExtractProgress


def work(seconds: float) -> None:
    until = time.thread_time() + seconds
    while time.thread_time() < until:
        sum(range(1000))


def test_threads_are_told_apart_by_what_they_use():
    done, may_end = threading.Event(), threading.Event()

    def other():
        work(0.4)
        done.set()
        may_end.wait()

    own, others, all_programs = *thread_seconds(os.getpid()), machine_seconds()
    thread = threading.Thread(target=other)
    thread.start()
    done.wait()
    work(0.2)
    after = thread_seconds(os.getpid())
    used = after[0] - own, after[1] - others
    may_end.set()
    thread.join()
    assert used == pytest.approx((0.2, 0.4), abs=0.1)
    assert machine_seconds() - all_programs >= 0.5


def test_the_middle_is_between_a_fifth_and_four_fifths(monkeypatch):
    def moment(clips):
        return Moment(100.0 + clips, clips, 2.0 * clips, 0.5 * clips, 0.25 * clips, 3.0 * clips)

    monkeypatch.setattr(Moment, "now", moment)
    watch = Watch(began=90.0)
    for video in range(11):
        watch(ExtractProgress(num_videos=10, num_skipped=0, num_done=video, num_encoded=4 * video))
    assert watch.middle() == {
        "seconds": 24.0, "clips": 24, "encode": 48.0, "decode": 12.0, "parent": 6.0,
        "others": pytest.approx(0.25), "start_seconds": 10.0,
    }  # fmt: skip


def test_runs_come_in_pairs_and_a_stopped_measurement_goes_on(tmp_path, monkeypatch):
    monkeypatch.delenv("LATENTVEIL_DATA", raising=False)
    measure_workers(repeats=1, videos={"tiny": 10}, folder=tmp_path)
    runs = kept.read("workers", folder=tmp_path)["encoders"]["tiny"]["runs"]
    (one,), (two,) = runs["1"], runs["2"]
    assert one["clips"] == 36  # six clips in each of the six videos of the middle
    assert abs(two["clips"] - 36) <= 8  # the other worker may be in the middle of a video
    assert (
        one["parent"] == 0 <= two["parent"]
    )  # in a run as short as this maybe less than a tick of the clock
    assert min(one["encode"], one["decode"], two["encode"], two["decode"]) >= 0
    monkeypatch.setattr("benchmarks.scale.workers._pair", lambda *_: {"1": {"clips": 1}, "2": {"clips": 2}})
    measure_workers(repeats=2, videos={"tiny": 10}, folder=tmp_path)
    assert kept.read("workers", folder=tmp_path)["encoders"]["tiny"]["runs"] == {
        "1": [one, {"clips": 1}], "2": [two, {"clips": 2}],
    }  # fmt: skip
