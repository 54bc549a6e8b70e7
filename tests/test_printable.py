"""What a name of others may do to a terminal is shown, not done."""

import pytest

from latentveil.printable import printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Käse 日本 \U0001f600.mp4", "Käse 日本 \U0001f600.mp4"),
        ("bell\x07.mp4", "bell\\x07.mp4"),
        ("line\nbreak\x1b[2J", "line\\nbreak\\x1b[2J"),
        ("turned \u202e4pm", "turned \\u202e4pm"),
        ("caf\udce9", "caf\\xe9"),  # a byte that is no UTF-8, as Python holds it
        ("\ud800", "\\ud800"),
        ("3.00\u202fPM", "3.00\u202fPM"),  # a space, as in the names of screenshots
    ],
)
def test_only_what_cannot_be_seen_is_escaped_and_only_once(text, shown):
    assert printable(text) == shown
    assert printable(shown) == shown
