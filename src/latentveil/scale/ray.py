"""Ray: workers as actors on a cluster, or on this machine where no address is given."""

from __future__ import annotations

import logging
import os
import socket
import time
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import urlsplit

from latentveil.arguments import argument
from latentveil.errors import InputError
from latentveil.foreign_code import Foreign, blamed, remember_all, remembered
from latentveil.machine.engines import Engine, Outcome

Started = TypeVar("Started")

# One task at work and one behind it: more would only pile up.
TASKS_PER_WORKER = 2
# A task whose workers died so often is given up.
ATTEMPTS = 3
# This many workers dying without finishing one task is a fault of the cluster, not of the tasks.
DEATHS_IN_A_ROW = 12
START_SECONDS = 300.0
START_ATTEMPTS = 4
LOOK_SECONDS = 1.0
# How long a cluster may take to answer at all.
ANSWER_SECONDS = 10.0
RAY_CLIENT = "ray://"


@dataclass(frozen=True)
class RayEngine(Engine):
    """Actors of one processor each, and of a part of a graphics card where ``gpus`` asks for it."""

    name: str = "ray"
    address: str | None = None
    gpus: float = 0.0

    def at(self, *, address: str | None, gpus: float) -> RayEngine:
        return replace(self, address=address, gpus=gpus)

    def map(
        self,
        make_worker: Callable[[], Callable[[Any], Any]],
        tasks: Iterable[Any],
        *,
        workers: int | None = None,
    ) -> Generator[Outcome]:
        with _connected(self.address) as ray:
            crew = _Crew(ray, make_worker, tasks, gpus=self.gpus)
            try:
                yield from crew.run(workers or self._room(ray))
            finally:
                crew.dismiss()

    def _room(self, ray: Any) -> int:
        """How many workers the cluster has room for."""
        resources = ray.cluster_resources()
        if self.gpus:
            return max(1, int(resources.get("GPU", 0) / self.gpus))
        return max(1, int(resources.get("CPU", 1)))


@contextmanager
def _connected(address: str | None) -> Iterator[Any]:
    """Ray, connected as long as it is needed; a connection that the caller already has is used and kept."""
    try:
        import ray
    except ImportError as error:
        raise InputError("ray must be installed, got none. Run `pip install latentveil[ray]`.") from error
    if ray.is_initialized():
        yield ray
        return
    if address is None:
        # Not None, which would join a cluster that somebody else runs here.
        start_patiently(partial(_init, ray, "local", num_cpus=os.cpu_count(), include_dashboard=False))
    else:
        _require_answer(address)
        try:
            _init(ray, address)
        except (ConnectionError, RuntimeError, ValueError) as error:
            raise _no_cluster(address, error) from error
    try:
        yield ray
    finally:
        ray.shutdown()


def _require_answer(address: str) -> None:
    """Refuse a host and port where nobody listens, which Ray would try for minutes; other addresses are its own."""
    try:
        found = urlsplit(f"//{address.removeprefix(RAY_CLIENT)}")
        host, port = found.hostname, found.port
        if host and port:
            socket.create_connection((host, port), timeout=ANSWER_SECONDS).close()
    except (OSError, ValueError) as error:  # ValueError: a port that is no number
        raise _no_cluster(address, error) from error


def _no_cluster(address: str, error: Exception) -> InputError:
    return InputError(
        f"address must be that of a Ray cluster, got {address!r}: {error}. Start one with `ray start --head`."
    )


def _init(ray: Any, address: str, **options: Any) -> None:
    try:
        ray.init(address=address, log_to_driver=False, logging_level=logging.ERROR, **options)
    except BaseException:
        ray.shutdown()
        raise


def start_patiently(start: Callable[[], Started]) -> Started:
    """What ``start`` gives, which begins a node of Ray on this machine and is tried again where that took too long.

    Ray gives a node 30 seconds and then raises a plain Exception; a machine with other work may need longer. What was
    read from disk the first time is there the second time. Ray's workers have the lowest rank but a few (nice 15)
    unless the user chose one: beside other work they would hardly ever run, so here they rank as other programs do.
    """
    os.environ.setdefault("RAY_worker_niceness", "0")
    for attempt in range(1, START_ATTEMPTS + 1):
        try:
            return start()
        except Exception as error:
            if attempt == START_ATTEMPTS:
                raise InputError(
                    f"Ray must start on this machine, got {attempt} failures: {_short(error)}. Wait until the machine "
                    f"has less to do, or give the {argument('address')} of a cluster."
                ) from error
    raise AssertionError("the loop returns or raises")


class _Worker:
    """What runs as an actor: the worker is made in ``start``, so that its errors come back as they are."""

    def start(self, make_worker: Callable[[], Callable[[Any], Any]], foreign: Sequence[Foreign]) -> None:
        remember_all(foreign)
        try:
            self.work = make_worker()
        except Exception as error:
            raise blamed(error) from error

    def run(self, task: Any) -> Any:
        try:
            return self.work(task)
        except Exception as error:
            raise blamed(error) from error


@dataclass(eq=False)
class _Job:
    """A task, and how often a worker has died with it."""

    task: Any
    deaths: int = 0


@dataclass(eq=False)
class _Hand:
    """An actor and the jobs it was given; it gets none before it has started."""

    actor: Any
    started: bool = False
    jobs: list[_Job] = field(default_factory=list)


class _Crew:
    """The coordinator's side: hands out tasks as there is room, and replaces workers that die."""

    def __init__(self, ray: Any, make_worker: Callable, tasks: Iterable[Any], *, gpus: float) -> None:
        self.ray = ray
        self.make_worker = ray.put(make_worker)  # once, however much it holds and however many workers get it
        self.fresh = iter(tasks)
        self.again: deque[_Job] = deque()
        self.actor = ray.remote(_Worker).options(num_cpus=1, num_gpus=gpus, max_restarts=0)
        self.gpus = gpus
        self.hands: list[_Hand] = []
        self.waiting: dict[Any, tuple[_Hand, _Job | None]] = {}
        self.deaths_in_a_row = 0

    def run(self, workers: int) -> Iterator[Outcome]:
        for _ in range(workers):
            self._hire()
        idle_since = time.monotonic()
        while True:
            for hand in self.hands:
                self._hand_out(hand)
            if self._is_done():
                return
            ready, _ = self.ray.wait(list(self.waiting), num_returns=1, timeout=LOOK_SECONDS)
            if ready:
                idle_since = time.monotonic()
                yield from self._receive(ready[0])
            elif not any(hand.started for hand in self.hands):
                self._require_start(idle_since)

    def dismiss(self) -> None:
        """End every worker."""
        for hand in self.hands:
            self.ray.kill(hand.actor)
        self.hands.clear()

    def _hire(self) -> None:
        hand = _Hand(self.actor.remote())
        self.hands.append(hand)
        self.waiting[hand.actor.start.remote(self.make_worker, remembered())] = (hand, None)

    def _hand_out(self, hand: _Hand) -> None:
        """Give a worker what it may have next; a task that a worker died with is alone with the next one."""
        if not hand.started or any(job.deaths for job in hand.jobs):
            return
        while len(hand.jobs) < TASKS_PER_WORKER:
            job = self._draw(alone=not hand.jobs)
            if job is None:
                return
            hand.jobs.append(job)
            self.waiting[hand.actor.run.remote(job.task)] = (hand, job)
            if job.deaths:
                return

    def _draw(self, *, alone: bool) -> _Job | None:
        if self.again:
            return self.again.popleft() if alone else None
        for task in self.fresh:
            return _Job(task)
        return None

    def _is_done(self) -> bool:
        """Whether nothing is left that anybody could do; workers that have not started yet are not waited for."""
        if any(hand.jobs for hand in self.hands) or self.again:
            return False
        return any(
            hand.started for hand in self.hands
        )  # which were offered a task just now, and there was none

    def _receive(self, reference: Any) -> Iterator[Outcome]:
        hand, job = self.waiting.pop(reference)
        try:
            result = self.ray.get(reference)
        except self.ray.exceptions.RayTaskError as error:
            raise _ours(error) from error
        except self.ray.exceptions.RayError as error:
            yield from self._bury(hand, job, error)
            return
        if job is None:
            hand.started = True
            return
        hand.jobs.remove(job)
        self.deaths_in_a_row = 0
        yield Outcome(job.task, result)

    def _bury(self, hand: _Hand, job: _Job | None, error: Exception) -> Iterator[Outcome]:
        """Replace a dead worker; what it had is done again, unless it was the end of several workers."""
        if hand in self.hands:
            self.hands.remove(hand)
            self.deaths_in_a_row += 1
            if self.deaths_in_a_row >= DEATHS_IN_A_ROW:
                raise InputError(
                    f"workers must stay alive, got {self.deaths_in_a_row} deaths in a row: {_short(error)}. "
                    "Look at the cluster's logs (memory?)."
                )
            self._hire()
        if job is None:
            return
        job.deaths += 1
        if job.deaths < ATTEMPTS:
            self.again.append(job)
        else:
            yield Outcome(job.task, None, f"its worker died {job.deaths} times ({_short(error)})")

    def _require_start(self, since: float) -> None:
        if time.monotonic() - since > START_SECONDS:
            share = f" and {self.gpus:g} graphics cards" if self.gpus else ""
            raise InputError(
                f"the Ray cluster must have room for a worker of 1 processor{share}, got none in "
                f"{START_SECONDS:.0f} s. Add a node, or stop what runs there."
            )


def _ours(error: Any) -> Exception:
    """The error that a worker raised, as it would have been raised here."""
    cause = getattr(error, "cause", None)
    return cause if isinstance(cause, InputError) else RuntimeError(f"a worker failed: {_short(error)}")


def _short(error: Exception) -> str:
    lines = [line for line in str(error).splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[-1].strip() if lines else ''}".rstrip(".")


engine = RayEngine()
