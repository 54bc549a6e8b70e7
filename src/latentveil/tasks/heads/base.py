"""What a head is: a file `tasks/heads/<name>.py` that assigns ``head`` is the head of its name, with hyphens."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from latentveil.errors import UsageError
from latentveil.labels import Labels, Segment
from latentveil.names import did_you_mean
from latentveil.plugins import Kind
from latentveil.tasks.base import Task
from latentveil.types import ClipTiming, FeatureSet


@dataclass(frozen=True)
class TaskData:
    """What a task is built on, and how its batches are made.

    ``clips_per_video`` random clips make up an epoch of a task that answers per video; with ``whole_videos`` the others
    are there to be seen. No batch has more than ``batch_size`` videos.
    """

    features: FeatureSet
    labels: Labels
    segments: dict[str, list[Segment]] = field(default_factory=dict)
    timing: ClipTiming = field(default_factory=ClipTiming)
    clips_per_video: int = 1
    whole_videos: bool = False
    batch_size: int = 512


@dataclass(frozen=True)
class Head:
    """A model for ``task``: ``build`` gives the task with this head, ``about`` says in a sentence what it is.

    The ``usual`` one is taken where nobody names another. One that ``needs_segments`` learns or is scored by them.
    """

    name: str
    task: str
    build: Callable[[TaskData], Task]
    about: str
    usual: bool = False
    needs_segments: bool = False


HEADS = Kind("head", "latentveil.tasks.heads", Head, hyphens=True)


def heads_of(task: str) -> list[Head]:
    """The heads with a name for ``task``, the usual one first."""
    return sorted((head for head in HEADS.all() if head.task == task), key=lambda head: not head.usual)


def find_head(task: str, name: str | None = None) -> Head:
    """The head of ``task`` called ``name``, or the usual one."""
    known = heads_of(task)
    if name is None:
        return known[0]
    found = HEADS.get(name) if ":" in name else next((head for head in known if head.name == name), None)
    if found is None or found.task != task:
        names = [head.name for head in known]
        raise UsageError(
            f"head of {task} must be one of {', '.join(names)}, or package.module:object, got {name!r}."
            + did_you_mean(name, names)
        )
    return found
