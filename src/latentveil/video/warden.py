"""The process that decodes untrusted files: it forks one confined child per request, and tells how that ended.

Started by `decoder_process.py` as `python -m latentveil.video.warden SOCKET`. It holds no features and no keys. A
request is JSON behind its length, with the pipe to answer into; a child's answers are those of `wire.py`.
"""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import sys
from pathlib import Path
from typing import Any

from PIL import Image

from latentveil.errors import InputError
from latentveil.video.confine import hide_files, landlock_version, leave_network, limit_process
from latentveil.video.decode import open_video
from latentveil.video.decoder_process import HELLO_BYTES, LENGTH_BYTES, STATUS_BYTES
from latentveil.video.decoding import Decoding
from latentveil.video.wire import Teller


def serve(control: socket.socket) -> None:
    """Answer requests until nobody is there."""
    Image.init()
    held = {"network": leave_network(), "files": landlock_version() > 0}
    control.sendall(json.dumps(held).encode().ljust(HELLO_BYTES))
    while True:
        header, descriptors, *_ = socket.recv_fds(control, LENGTH_BYTES, 1)
        if not header:
            return
        content = _receive(control, int.from_bytes(header, "little"))
        alive, kept_by_child = os.pipe()
        child = os.fork()
        if not child:
            control.close()
            os.close(alive)
            _answer(json.loads(content), descriptors[0])
        os.close(kept_by_child)
        os.close(descriptors[0])
        _watch(child, alive, control)


def _watch(child: int, alive: int, control: socket.socket) -> None:
    """Wait for the end of a child and tell its status; should the caller leave first, end both."""
    ready, _, _ = select.select([alive, control.fileno()], [], [])
    if alive not in ready:  # nothing is said during a request, so the caller is gone
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.close(alive)
    exit_status = os.waitstatus_to_exitcode(status)
    control.sendall(exit_status.to_bytes(STATUS_BYTES, "little", signed=True))


def _answer(request: dict[str, Any], descriptor: int) -> None:
    """What the child does; it never returns."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1, 2):
        os.dup2(nowhere, standard)
    os.close(nowhere)
    teller = Teller(descriptor)
    status = 1
    try:
        _decode(request, teller)
        status = 0
    except InputError as error:
        teller.sentence(str(error))
    except MemoryError:
        limit = request["decoding"]["memory_megabytes"]
        teller.sentence(f"{request['path']} must be decoded within {limit} MB, got a file that takes more.")
    except BrokenPipeError:  # the caller has seen enough
        status = 0
    except Exception as error:  # one odd file of a million
        teller.sentence(f"{request['path']} could not be read: {type(error).__name__}: {error}.")
    finally:
        os._exit(status)


def _decode(request: dict[str, Any], teller: Teller) -> None:
    path, threads = Path(request["path"]), request["threads"]
    decoding = Decoding(**request["decoding"])
    limit_process(decoding, threads=threads)
    hide_files(path)
    source = open_video(path, threads=threads, decoding=decoding)
    if request["what"] == "frames":
        indices = request["indices"]
        for frame in source.frames() if indices is None else source.frames_at(indices):
            teller.frame(frame)
    else:
        teller.number(getattr(source, request["what"]))
    teller.end()


def _receive(control: socket.socket, size: int) -> bytes:
    content = bytearray()
    while len(content) < size:
        part = control.recv(size - len(content))
        if not part:
            raise SystemExit
        content += part
    return bytes(content)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
