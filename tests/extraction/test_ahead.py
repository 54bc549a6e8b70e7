import threading
import time

import pytest

from latentveil.extraction.ahead import run_ahead


def wait_until(condition) -> None:
    deadline = time.monotonic() + 5
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def test_items_come_in_order():
    assert list(run_ahead(range(100), depth=3)) == list(range(100))


def test_the_thread_runs_ahead_by_the_depth_and_no_further():
    made = []
    items = run_ahead((made.append(number) or number for number in range(100)), depth=3)
    assert next(items) == 0
    wait_until(lambda: len(made) >= 5)
    time.sleep(0.05)
    assert len(made) == 5  # one taken, three waiting, one in the thread's hands
    items.close()


def test_an_error_comes_out_after_the_items_before_it():
    def items():
        yield 1
        raise ValueError("broken")

    ahead = run_ahead(items(), depth=2)
    assert next(ahead) == 1
    with pytest.raises(ValueError, match="broken"):
        next(ahead)


def test_closing_ends_the_thread():
    before = threading.active_count()
    ahead = run_ahead(iter(int, 1), depth=2)
    next(ahead)
    ahead.close()
    wait_until(lambda: threading.active_count() == before)
