"""Engines: where the work of a verb is done, when one machine is not enough."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator, Iterable
from dataclasses import dataclass
from typing import Generic, Self, TypeVar

from latentveil.errors import UsageError
from latentveil.names import did_you_mean
from latentveil.plugins import Kind

Task = TypeVar("Task")
Result = TypeVar("Result")

LOCAL = "local"


@dataclass(frozen=True)
class Outcome(Generic[Task, Result]):
    """What became of a task: its ``result``, or why it was ``lost`` after every worker that tried it had died."""

    task: Task
    result: Result | None
    lost: str | None = None


class Engine(ABC):
    """Workers on many machines, each with what it needs to keep (an encoder, an adapter), which are handed tasks."""

    name: str

    @abstractmethod
    def at(self, *, address: str | None, gpus: float) -> Self:
        """This engine at an address, with ``gpus`` graphics cards, or a part of one, for each worker."""

    @abstractmethod
    def map(
        self,
        make_worker: Callable[[], Callable[[Task], Result]],
        tasks: Iterable[Task],
        *,
        workers: int | None = None,
    ) -> Generator[Outcome[Task, Result]]:
        """The outcome of every task, in the order in which they come.

        ``make_worker`` is called once in every worker, and what it gives, once for every task there. Tasks are drawn
        only as there is room for them. One whose worker dies is done again by another.
        """


@dataclass(frozen=True)
class Crew:
    """Some workers of an engine; ``workers`` None for all it has."""

    engine: Engine
    workers: int | None = None

    def map(
        self, make_worker: Callable[[], Callable[[Task], Result]], tasks: Iterable[Task]
    ) -> Generator[Outcome[Task, Result]]:
        """As the engine does it."""
        return self.engine.map(make_worker, tasks, workers=self.workers)


def find_crew(
    name: str | Engine, *, address: str | None = None, workers: int | None = None, gpus: float = 0.0
) -> Crew | None:
    """Workers of the engine called so; None for "local", where the calling process does the work."""
    if workers is not None and (name == LOCAL or workers < 1):
        raise UsageError(f"workers must be one or more of an engine other than local, got {workers}.")
    engine = find_engine(name, address=address, gpus=gpus)
    return None if engine is None else Crew(engine, workers)


ENGINES: Kind[Engine] = Kind("engine", "latentveil.scale", Engine)  # type: ignore[type-abstract]


def find_engine(name: str | Engine, *, address: str | None = None, gpus: float = 0.0) -> Engine | None:
    """The engine called so; None for "local", the processes of this machine, which need no engine."""
    if name == LOCAL:
        if address is not None or gpus:
            raise UsageError("address and worker_gpus must be left out for the engine local, got some.")
        return None
    if isinstance(name, str) and name not in ENGINES.names() and ":" not in name:
        known = [LOCAL, *ENGINES.names()]
        raise UsageError(
            f"engine must be one of {', '.join(known)}, or package.module:object, got {name!r}."
            + did_you_mean(name, known)
        )
    if not 0 <= gpus <= 64:
        raise UsageError(f"worker_gpus must be from 0 to 64, got {gpus}.")
    return ENGINES.get(name).at(address=address, gpus=gpus)
