"""What the exit status of a command says."""

from __future__ import annotations

WRONG_USE, BAD_INPUT, SOME_FAILED, COLLAPSED = 1, 2, 3, 4  # 0: done
STOPPED = 130  # by the user, as shells have it
