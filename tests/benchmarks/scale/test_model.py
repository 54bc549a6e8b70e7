"""Slopes and what they say of larger data, worked by hand; and the page in docs is that of the numbers beside it."""

import pytest

from benchmarks.scale import kept
from benchmarks.scale.model import encoder_cost, growth, stored_share, workers_found
from benchmarks.scale.page import PAGE, render, write_page

STORES = {
    "100": {"clips": 100, "bytes": 900, "dim": 2},
    "1000": {"clips": 1000, "bytes": 8800, "dim": 2},
}
RUNS = {
    "100": {"core_seconds": 1.0, "megabytes": 300.0, "load": 1.0},
    "1000": {"core_seconds": 1.9, "megabytes": 300.9, "load": 2.0},
}


def test_a_stage_grows_by_its_slope_and_ends_where_memory_does():
    found = growth(RUNS, STORES)
    assert found.core_seconds_per_clip == pytest.approx(0.001)
    assert found.bytes_per_clip == pytest.approx(1000)
    assert found.clips_in(4000) == pytest.approx(1000 + 3699.1e6 / 1000)
    assert growth({"100": RUNS["100"]}, STORES) is None
    flat = growth(RUNS | {"1000": RUNS["1000"] | {"megabytes": 290.0}}, STORES)
    assert flat.clips_in(4000) is None


def test_a_failed_run_is_no_point_of_a_slope():
    assert growth(RUNS | {"1000": {"error": "exit status 1", "load": 1.0}}, STORES) is None


def test_an_hour_of_video_costs_what_its_seconds_do():
    measured = {
        "core_seconds": {"decode": 1.0, "encode": 9.0},
        "video_seconds": 20.0,
        "clip_frames": 16,
        "dim": 1024,
    }
    share = stored_share(STORES)
    assert share == pytest.approx(8800 / 8000)
    cost = encoder_cost(measured, share=share)
    assert cost.core_hours_per_hour == pytest.approx(0.5)
    assert cost.clips_per_hour == pytest.approx(25 * 3600 / 16)
    assert cost.bytes_per_hour == pytest.approx(5625 * 4096 * 1.1)


def test_two_workers_are_told_apart_from_their_start():
    def run(seconds, clips, parent, workers):
        return {
            "seconds": seconds, "clips": clips, "load": 1.0,
            "parent_core_seconds": parent, "worker_core_seconds": workers,
        }  # fmt: skip

    one = [run(7.0, 2, 2.0, 0.0), run(17.0, 12, 12.0, 0.0)]  # five seconds to start, one for a clip
    two = [
        run(9.0, 2, 1.0, 8.0),
        run(15.0, 12, 2.0, 18.0),
    ]  # 0.6 s for a clip: 0.1 of the parent, 1.0 of a worker
    found = workers_found({"1": one, "2": two})
    assert found.ratio == pytest.approx(1 / 0.6)
    assert found.dearer == pytest.approx(1.1)
    assert found.parent_share == pytest.approx(0.1)
    assert found.start_seconds == pytest.approx({"1": 5.0, "2": 7.8})
    assert found.possible == pytest.approx(2 / 1.1)


def test_measurements_are_added_and_a_page_says_what_is_missing(tmp_path):
    kept.add("stages", ("stages", "verify", "10"), {"megabytes": 1.0}, folder=tmp_path)
    kept.add("stages", ("stages", "verify", "20"), {"megabytes": 2.0}, folder=tmp_path)
    assert set(kept.read("stages", folder=tmp_path)["stages"]["verify"]) == {"10", "20"}
    assert "Not measured yet." in render({}, {}, {})


def test_the_page_in_docs_is_that_of_its_numbers(tmp_path):
    write_page(tmp_path / "scale.md")
    assert (tmp_path / "scale.md").read_text() == PAGE.read_text()
