"""Working ahead: an iterator's items made in a second thread while the first one uses them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from queue import Full, Queue
from threading import Event, Thread
from typing import Any, TypeVar

Item = TypeVar("Item")

_POLL_SECONDS = 0.1
_FAREWELL_SECONDS = 5.0


@dataclass(frozen=True)
class _End:
    """No item follows; ``error`` is what the iterator raised, if it did."""

    error: BaseException | None = None


def run_ahead(items: Iterable[Item], *, depth: int) -> Iterator[Item]:
    """The items in order, made in a thread up to ``depth`` items ahead; an exception there is raised here.

    Closing this generator stops the thread after the item it is making.
    """
    made: Queue[Any] = Queue(maxsize=depth)
    abandoned = Event()
    thread = Thread(target=_produce, args=(items, made, abandoned), daemon=True)
    thread.start()
    try:
        while not isinstance(item := made.get(), _End):
            yield item
        if item.error is not None:
            raise item.error
    finally:
        abandoned.set()
        thread.join(_FAREWELL_SECONDS)


def _produce(items: Iterable[Any], made: Queue[Any], abandoned: Event) -> None:
    end = _End()
    try:
        for item in items:
            _put(item, made, abandoned)
            if abandoned.is_set():
                return
    except BaseException as error:
        end = _End(error)
    _put(end, made, abandoned)


def _put(item: Any, made: Queue[Any], abandoned: Event) -> None:
    while not abandoned.is_set():
        try:
            made.put(item, timeout=_POLL_SECONDS)
        except Full:
            continue
        return
