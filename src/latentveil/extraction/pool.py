"""Several worker processes, each with its own encoder; one that dies costs at most the video that killed it."""

from __future__ import annotations

import multiprocessing
import signal
import sys
from collections import deque
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from threading import current_thread, main_thread

from latentveil.arguments import argument
from latentveil.errors import InputError
from latentveil.extraction.inputs import VideoInput
from latentveil.extraction.worker import Encoded, EncoderChoice, Failed, Finished, Work, encode_videos
from latentveil.foreign_code import blamed

# One video in the encoder and one being decoded behind it.
VIDEOS_PER_WORKER = 2
# This many workers dying without finishing one video is a fault of the machine, not of the videos.
DEATHS_IN_A_ROW = 3
_FAREWELL_SECONDS = 5.0


@dataclass(eq=False)
class _Worker:
    """A process and the videos it was given; ``alone`` if its one video is suspected of killing a worker."""

    process: BaseProcess
    connection: Connection
    videos: list[VideoInput] = field(default_factory=list)
    alone: bool = False


def encode_in_processes(
    videos: Iterable[VideoInput], choice: EncoderChoice, *, work: Work, workers: int
) -> Generator[Encoded | Finished | Failed]:
    """As `encode_videos`, spread over ``workers`` processes; closing the generator ends them."""
    pool = _Pool(videos, choice, work)
    try:
        yield from pool.run(workers)
    finally:
        pool.close()


class _Pool:
    """The coordinator's side: hands out videos one by one and replaces workers that die."""

    def __init__(self, videos: Iterable[VideoInput], choice: EncoderChoice, work: Work) -> None:
        self.fresh = iter(videos)  # drawn from as workers have room: others may do the rest
        self.suspects: deque[VideoInput] = deque()
        self.choice = choice
        self.work = work
        self.workers: dict[Connection, _Worker] = {}
        self.deaths_in_a_row = 0

    def run(self, num_workers: int) -> Iterator[Encoded | Finished | Failed]:
        for _ in range(num_workers):
            self._start_worker()
        while True:
            for worker in self.workers.values():
                self._hand_out(worker)
            if not any(worker.videos for worker in self.workers.values()):
                return
            ready = wait(list(self.workers))
            for worker in [worker for worker in self.workers.values() if worker.connection in ready]:
                yield from self._receive(worker)

    def close(self) -> None:
        """End every worker: one that waits for videos is asked to leave, one at work is terminated."""
        for worker in self.workers.values():
            if worker.videos:
                worker.process.terminate()
            else:
                with suppress(OSError):
                    worker.connection.send(None)
        for worker in self.workers.values():
            worker.process.join(_FAREWELL_SECONDS)
            if worker.process.is_alive():
                worker.process.kill()
                worker.process.join()
            worker.connection.close()
        self.workers.clear()

    def _start_worker(self) -> None:
        context = multiprocessing.get_context("spawn")
        ours, theirs = context.Pipe()
        process = context.Process(target=_serve, args=(theirs, self.choice, self.work), daemon=True)
        with _ctrl_c_ignored(), _script_hidden():
            process.start()
        theirs.close()
        self.workers[ours] = _Worker(process, ours)

    def _hand_out(self, worker: _Worker) -> None:
        """Give a worker what it may have next; a suspect goes to an idle worker and stays alone there."""
        if not worker.videos:
            worker.alone = bool(self.suspects)
        room = (1 if worker.alone else VIDEOS_PER_WORKER) - len(worker.videos)
        for _ in range(room):
            video = self._draw(suspect=worker.alone)
            if video is None:
                return
            worker.videos.append(video)
            try:
                worker.connection.send(video)
            except OSError:
                return  # it has died; _receive finds that out and hands its videos to others

    def _draw(self, *, suspect: bool) -> VideoInput | None:
        """The next video for a worker, if there is one."""
        if suspect:
            return self.suspects.popleft() if self.suspects else None
        return next(self.fresh, None)

    def _receive(self, worker: _Worker) -> Iterator[Encoded | Finished | Failed]:
        try:
            event = worker.connection.recv()
        except (EOFError, OSError):
            yield from self._bury(worker)
            return
        if isinstance(event, BaseException):
            raise event
        if not isinstance(event, Encoded):
            worker.videos.remove(event.video)
            self.deaths_in_a_row = 0
        yield event

    def _bury(self, worker: _Worker) -> Iterator[Failed]:
        """Replace a dead worker; a video that was alone with it is to blame, several are tried again one by one."""
        worker.connection.close()
        worker.process.join()
        del self.workers[worker.connection]
        status = worker.process.exitcode
        self.deaths_in_a_row += 1
        if self.deaths_in_a_row >= DEATHS_IN_A_ROW * (len(self.workers) + 1):
            raise InputError(
                f"worker processes must stay alive, got exit status {status} {self.deaths_in_a_row} times in a row. "
                f"Try fewer workers (memory), or {argument('workers', 1)} to see the error."
            )
        if worker.alone:
            for video in worker.videos:
                yield Failed(video, f"{video.path} made its worker process die (exit status {status}).")
        else:
            self.suspects.extend(worker.videos)
        self._start_worker()


@contextmanager
def _ctrl_c_ignored() -> Iterator[None]:
    """A moment in which processes are started that leave Ctrl-C to the coordinator, from their first instruction on."""
    if current_thread() is not main_thread():  # the only one that may change a signal's handler
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


@contextmanager
def _script_hidden() -> Iterator[None]:
    """A moment in which processes are started that do not run the user's script again.

    They need nothing from it, and a script without ``if __name__ == "__main__"`` would start workers in each of them.
    """
    script = sys.modules["__main__"]
    names = [name for name in ("__file__", "__spec__") if hasattr(script, name)]
    known = {name: getattr(script, name) for name in names}
    for name in names:
        setattr(script, name, None)
    try:
        yield
    finally:
        for name, value in known.items():
            setattr(script, name, value)


def _serve(connection: Connection, choice: EncoderChoice, work: Work) -> None:
    """The worker's side: videos come in through ``connection``, events go out, until None comes or nobody is there."""
    import torch

    signal.signal(signal.SIGINT, signal.SIG_IGN)
    torch.set_num_threads(work.threads)
    try:
        for event in encode_videos(iter(connection.recv, None), choice.load(), work=work):
            connection.send(event)
    except (EOFError, BrokenPipeError, ConnectionResetError):
        return
    except Exception as error:
        connection.send(_portable(blamed(error)))


def _portable(error: Exception) -> Exception:
    """An error that survives the way to the coordinator."""
    if isinstance(error, InputError):
        return error
    return RuntimeError(f"a worker process failed: {type(error).__name__}: {error}")
