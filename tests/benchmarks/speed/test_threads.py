"""The gain beside busy processes: both sides in turns, one process each, and nothing is left running."""

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from benchmarks.speed import threads

ROOT = Path(__file__).parents[3]


def test_sides_take_turns_and_the_ratio_is_that_of_their_medians(monkeypatch, tmp_path):
    taken = []

    def made_up(name, turn, folder, *, limit_seconds):
        taken.append((name, turn))
        number = len(taken)
        return {"seconds": {"before": 6.0, "after": 2.0}[turn] + (number > 4), "core_seconds": 1.0}

    monkeypatch.setattr(threads, "work_elsewhere", made_up)
    found = threads.measure(tmp_path, num_busy=0, turns=3, works=["head"], limit_seconds=9)
    assert taken == [("head", "before"), ("head", "after")] * 3
    assert found["head"]["times_faster"] == 3.0
    assert found["head"]["core_seconds_before"] == 1.0


def test_busy_processes_end_with_the_measurement(monkeypatch):
    started = []
    real = subprocess.Popen

    def spy(*arguments, **options):
        started.append(real(*arguments, **options))
        return started[-1]

    monkeypatch.setattr(subprocess, "Popen", spy)
    with threads.busy(2):
        assert [process.poll() for process in started] == [None, None]
    assert all(process.poll() is not None for process in started)


@pytest.mark.parametrize(("turn", "small"), [("before", 0), ("after", 4_000_000)])
def test_a_work_runs_in_a_process_whose_threads_are_as_its_turn_says(turn, small, tmp_path):
    code = (
        "from benchmarks.speed import threads\n"
        "def look(folder, turn):\n"
        "    from latentveil.machine.threads import SMALL_NUMBERS\n"
        "    (folder / 'seen').write_text(str(SMALL_NUMBERS))\n"
        "threads.WORKS['look'] = look\n"
        "from pathlib import Path\n"
        f"print(threads.work_here('look', {turn!r}, Path({str(tmp_path)!r}), limit_seconds=9)['seconds'] >= 0)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout.strip() == "True"
    assert (tmp_path / "seen").read_text() == str(small)


def test_a_work_that_takes_too_long_is_stopped(monkeypatch, tmp_path):
    monkeypatch.setitem(threads.WORKS, "sleep", lambda *_: time.sleep(30))
    handler = signal.getsignal(signal.SIGALRM)
    try:
        found = threads.work_here("sleep", "after", tmp_path, limit_seconds=0.2)
    finally:
        signal.signal(signal.SIGALRM, handler)
    assert 0.2 <= found["seconds"] < 10
