"""The processes that decode untrusted files, seen from the one that wants their frames."""

from __future__ import annotations

import atexit
import fcntl
import json
import os
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from threading import Lock
from typing import Any, ClassVar

from latentveil.errors import InputError

# What a decoder's process keeps of our surroundings: nothing that holds a password.
KEPT_VARIABLES = ("LANG", "LC_ALL", "LC_CTYPE", "LD_LIBRARY_PATH", "PYTHONHOME")
# Threads of number libraries would keep the process from leaving the network.
ALONE = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
START_SECONDS = 60.0
FAREWELL_SECONDS = 5.0
PIPE_BYTES = 1 << 20
HELLO_BYTES, LENGTH_BYTES, STATUS_BYTES = 64, 4, 4


class DecoderProcess:
    """A process that decodes, one request at a time; those that wait for the next one are kept."""

    _idle: ClassVar[list[DecoderProcess]] = []
    _lock = Lock()

    def __init__(self) -> None:
        self.control, theirs = socket.socketpair()
        self.is_busy = False
        flags = ["-P", "-s", "-m", "latentveil.video.warden", str(theirs.fileno())]
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, *flags],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=[theirs.fileno()],
                env=_surroundings(),
                cwd="/",
                start_new_session=True,
            )
        self.control.settimeout(START_SECONDS)
        held = self._receive(HELLO_BYTES)
        if held is None:
            self.end()
            raise InputError("the sandbox must be able to start Python, got a process that ended at once.")
        self.held: dict[str, bool] = json.loads(held)

    @classmethod
    def idle(cls) -> DecoderProcess:
        """One that waits, or a new one."""
        while True:
            with cls._lock:
                found = cls._idle.pop() if cls._idle else None
            if found is None:
                return cls()
            if found.process.poll() is None:
                return found
            found.end()

    def keep(self) -> None:
        """Let the process wait for the next request."""
        with self._lock:
            self._idle.append(self)

    def finish(self) -> int | None:
        """How the last request ended: 0, or as `subprocess` tells it; None where that is not known.

        A process whose request is through waits for the next one; any other is ended.
        """
        if not self.is_busy:
            return None
        self.is_busy = False
        self.control.settimeout(FAREWELL_SECONDS)
        status = self._receive(STATUS_BYTES)
        if status is None:
            self.end()
            return None
        self.keep()
        return int.from_bytes(status, "little", signed=True)

    def ask(self, request: dict[str, Any]) -> int:
        """Send a request; its answers come through the descriptor that is returned."""
        self.is_busy = True
        content = json.dumps(request).encode()
        answers, theirs = os.pipe()
        try:
            if hasattr(fcntl, "F_SETPIPE_SZ"):
                with suppress(OSError):  # more than this user may have
                    fcntl.fcntl(answers, fcntl.F_SETPIPE_SZ, PIPE_BYTES)
            socket.send_fds(self.control, [len(content).to_bytes(LENGTH_BYTES, "little")], [theirs])
            self.control.sendall(content)
        except OSError:
            os.close(answers)
            raise
        finally:
            os.close(theirs)
        return answers

    def end(self) -> None:
        """End the process and its child."""
        self.is_busy = False
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()
        self.control.close()

    def _receive(self, size: int) -> bytes | None:
        content = b""
        while len(content) < size:
            try:
                part = self.control.recv(size - len(content))
            except OSError:
                return None
            if not part:
                return None
            content += part
        return content

    @classmethod
    def _forget_all(cls) -> None:
        """A forked process must not talk to the decoders of the one it came from."""
        for one in cls._idle:
            one.control.close()
            one.process.returncode = 0  # nothing to wait for
        cls._idle.clear()
        cls._lock = Lock()

    @classmethod
    def _end_all(cls) -> None:
        while cls._idle:
            cls._idle.pop().end()


os.register_at_fork(after_in_child=DecoderProcess._forget_all)
atexit.register(DecoderProcess._end_all)


def _surroundings() -> dict[str, str]:
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    return kept | ALONE | {"PYTHONPATH": os.pathsep.join(map(os.path.abspath, filter(None, sys.path)))}
