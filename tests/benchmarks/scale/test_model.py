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


def middle(seconds, clips, *, decode, encode, parent=0.0):
    return {"seconds": seconds, "clips": clips, "decode": decode, "encode": encode, "parent": parent,
            "others": 0.1, "start_seconds": 3.0}  # fmt: skip


def test_a_ratio_of_two_workers_is_cores_in_use_by_core_time_of_a_clip():
    one = middle(10.0, 20, decode=2.0, encode=10.0)  # 2 clips a second, 1.2 cores, 0.6 core-seconds a clip
    two = middle(10.0, 30, decode=3.5, encode=15.5, parent=0.5)  # 3 clips a second, 1.95 cores, 0.65 a clip
    slow = middle(12.0, 30, decode=3.5, encode=15.5, parent=0.5)
    found = workers_found({"1": [one] * 3, "2": [two, slow, two]})
    assert (found.ratio.median, found.ratio.low, found.ratio.high) == pytest.approx((1.5, 1.25, 1.5))
    assert found.more_cores.median == pytest.approx(1.95 / 1.2)
    assert found.cheaper.median == pytest.approx(0.6 / 0.65)
    assert found.ratio.median == pytest.approx(found.more_cores.median * found.cheaper.median)
    assert found.costs["2"].core_seconds == pytest.approx(
        {"decode": 3.5 / 30, "encode": 15.5 / 30, "parent": 0.5 / 30}
    )
    assert found.costs["1"].cores == pytest.approx(1.2)
    assert found.pairs == 3
    assert found.possible(2) == pytest.approx(0.5 / (0.65 / 2))  # encoding with one, all cores with two
    assert found.possible(8) == pytest.approx(0.5 / (15.5 / 30 / 2))  # encoding in each of two


def test_the_page_shows_medians_and_ranges_of_the_ratio():
    one, two = (
        middle(10.0, 20, decode=2.0, encode=10.0),
        middle(10.0, 30, decode=3.5, encode=15.5, parent=0.5),
    )
    measured = {
        "machine": {"cores": "2"},
        "encoders": {"tiny": {"videos": 50, "runs": {"1": [one], "2": [two]}}},
    }
    page = "\n".join(render({}, {}, measured))
    assert "| tiny | 1 | 1.50 (1.50 to 1.50) | 1.62 (1.62 to 1.62) | 0.92 (0.92 to 0.92) | 1.54 |" in page
    assert "| tiny, 2 | 3.00 | 1.95 | 116.7 | 516.7 | 16.7 | 650.0 | 3.0 | 0.10 to 0.10 |" in page


def test_measurements_are_added_and_a_page_says_what_is_missing(tmp_path):
    kept.add("stages", ("stages", "verify", "10"), {"megabytes": 1.0}, folder=tmp_path)
    kept.add("stages", ("stages", "verify", "20"), {"megabytes": 2.0}, folder=tmp_path)
    assert set(kept.read("stages", folder=tmp_path)["stages"]["verify"]) == {"10", "20"}
    assert "Not measured yet." in render({}, {}, {})


def test_the_page_in_docs_is_that_of_its_numbers(tmp_path):
    write_page(tmp_path / "scale.md")
    assert (tmp_path / "scale.md").read_text() == PAGE.read_text()
