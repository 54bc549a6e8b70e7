"""Who is at work on a store: each run has a small file there that changes every few seconds while the run lives.

No two clocks are compared. A run counts as dead when its file is gone or has stayed the same for a minute by the clock
of the one who looks, and at once when it ran on this machine and its process is no more.
"""

from __future__ import annotations

import json
import os
import socket
import time
from functools import cache
from pathlib import Path
from threading import Event, Thread
from typing import Any, Self
from uuid import uuid4

from latentveil.files.place_files import remove_tree, require_exclusive
from latentveil.files.places import Place

WORK_NAME = ".work"
BEAT_SECONDS = 5.0
DEAD_SECONDS = 60.0


class Presence:
    """This run among those that work on the store at ``store``; ``plan`` names what they have to agree on."""

    def __init__(self, store: Place, plan: str = "") -> None:
        self.folder = store / WORK_NAME
        self.plan = plan
        self.me = uuid4().hex[:16]
        self._seen: dict[str, tuple[bytes, float]] = {}
        self._left = Event()
        self._thread = Thread(target=self._beat, daemon=True)

    def __enter__(self) -> Self:
        self.folder.mkdir(parents=True, exist_ok=True)
        require_exclusive(self.folder)
        self._write(0)
        self._thread.start()
        return self

    def __exit__(self, *exception: object) -> None:
        self._left.set()
        self._thread.join()
        self._file(self.me).unlink(missing_ok=True)

    def others(self) -> dict[str, str]:
        """{run: its plan} of every other run that is alive."""
        runs = [place.stem.removeprefix("run-") for place in self.folder.glob("run-*.json")]
        alive = [run for run in runs if run != self.me and self.is_alive(run)]
        return {run: str(self._read(run)[1].get("plan", "")) for run in alive}

    def is_alive(self, run: str) -> bool:
        """Whether a run still works, as far as can be seen from here; the longer one looks, the better one knows."""
        if run == self.me:
            return True
        content, told = self._read(run)
        if content is None:
            return False
        known, since = self._seen.get(run, (b"", 0.0))
        if content != known:
            self._seen[run] = (content, time.monotonic())
        elif time.monotonic() - since > DEAD_SECONDS:
            return False
        if told.get("machine") != this_machine():
            return True
        return started_at(told.get("process")) == told.get("started")

    def is_here(self, run: str) -> bool:
        """Whether a run is a living process of this machine."""
        told = self._read(run)[1]
        return told.get("machine") == this_machine() and self.is_alive(run)

    def holder(self, run: str) -> str:
        """A run in words."""
        told = self._read(run)[1]
        return f"process {told.get('process', '?')} on {told.get('host', '?')}"

    def remove_folder(self) -> None:
        """Delete all notes about the work; for the last run that leaves."""
        remove_tree(self.folder)

    def _read(self, run: str) -> tuple[bytes | None, dict[str, Any]]:
        """The file of a run, and what it says; it may be half written."""
        try:
            content = self._file(run).read_bytes()
        except FileNotFoundError:
            return None, {}
        try:
            told = json.loads(content)
        except ValueError:
            return content, {}
        return content, told if isinstance(told, dict) else {}

    def _beat(self) -> None:
        beat = 0
        while not self._left.wait(BEAT_SECONDS):
            beat += 1
            try:
                self._write(beat)
            except (
                OSError
            ):  # a share that is away for a moment; who is silent for too long loses his work to others
                continue

    def _write(self, beat: int) -> None:
        told = {
            "plan": self.plan,
            "host": socket.gethostname(),
            "machine": this_machine(),
            "process": os.getpid(),
            "started": started_at(os.getpid()),
            "beat": beat,
        }
        self.folder.mkdir(parents=True, exist_ok=True)
        self._file(self.me).write_bytes(json.dumps(told).encode())

    def _file(self, run: str) -> Place:
        return self.folder / f"run-{run}.json"


@cache
def this_machine() -> str:
    """A name that no other machine or container has, and this one only until it is started again."""
    try:
        boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
        return f"{boot} {os.readlink('/proc/self/ns/pid')}"
    except OSError:
        return f"{socket.gethostname()} {os.uname().sysname}"


def started_at(process: Any) -> str | None:
    """When a process of this machine began, in its own units; None where there is none: numbers are used again."""
    if not isinstance(process, int) or process < 1:
        return None
    try:
        told = Path(f"/proc/{process}/stat").read_text()
    except FileNotFoundError:
        if Path("/proc/self/stat").exists():
            return None
    else:
        state, *rest = told.rpartition(")")[2].split()
        return None if state == "Z" else rest[18]
    try:  # systems without /proc
        os.kill(process, 0)
    except ProcessLookupError:
        return None
    except PermissionError:
        pass
    return "unknown"
