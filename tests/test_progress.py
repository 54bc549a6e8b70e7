"""Progress: bars in a terminal, lines elsewhere, silence on demand."""

import io
import os
import pty
import select

from latentveil.progress import Lines, Progress, shown


def test_without_a_terminal_each_stage_is_told_when_it_begins_ends_and_now_and_then():
    seconds = 0.0
    stream = io.StringIO()
    tell = Lines(stream, now=lambda: seconds)
    for done, seconds in ((1, 0.0), (2, 1.0), (3, 11.0), (4, 12.0), (5, 13.0)):  # noqa: B007
        tell(Progress("epochs", done, 5, f"loss {done}"))
    assert stream.getvalue().splitlines() == [
        "epochs: 1 of 5 loss 1",
        "epochs: 3 of 5 loss 3",
        "epochs: 5 of 5 loss 5",
    ]


def test_a_new_stage_is_told_at_once_and_an_unknown_total_is_left_out():
    stream = io.StringIO()
    tell = Lines(stream, now=lambda: 0.0)
    tell(Progress("videos", 1, 9))
    tell(Progress("videos", 2, 9))
    tell(Progress("clips", 7))
    assert stream.getvalue().splitlines() == ["videos: 1 of 9", "clips: 7"]


def test_nothing_is_shown_where_nobody_wants_it():
    stream = io.StringIO()
    with shown(False, stream=stream) as on_progress:
        on_progress(Progress("epochs", 1, 2))
    assert stream.getvalue() == ""


def drawn_on_a_terminal(step):
    """Everything that a terminal is given; it hands over what was written bit by bit."""
    leader, follower = pty.openpty()
    with os.fdopen(follower, "w") as terminal:
        with shown(stream=terminal) as on_progress:
            on_progress(step)
        drawn = ""
        while select.select([leader], [], [], 0.5)[0]:
            drawn += os.read(leader, 100_000).decode(errors="replace")
    os.close(leader)
    return drawn


def test_a_terminal_gets_bars():
    drawn = drawn_on_a_terminal(Progress("epochs", 3, 7, "loss 0.5"))
    assert "epochs" in drawn
    assert "3/7" in drawn
    assert "loss 0.5" in drawn


def test_the_name_of_a_video_does_nothing_to_a_line():
    stream = io.StringIO()
    Lines(stream)(Progress("rewriting videos", 1, 2, "bell\x07\udce9"))
    assert stream.getvalue() == "rewriting videos: 1 of 2 bell\\x07\\xe9\n"


def test_the_name_of_a_video_does_nothing_to_a_bar():
    drawn = drawn_on_a_terminal(Progress("videos", 1, 2, "[/x]\x07"))  # brackets are no markup
    assert "[/x]\\x07" in drawn
