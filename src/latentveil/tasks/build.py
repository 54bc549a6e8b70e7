"""Tasks by name, built on given features."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from latentveil.arguments import argument
from latentveil.config import TASKS
from latentveil.errors import UsageError
from latentveil.labels import Labels, Segment
from latentveil.names import did_you_mean
from latentveil.tasks.base import Task
from latentveil.tasks.heads.base import TaskData, find_head
from latentveil.types import ClipTiming, FeatureSet

MOTION = "motion"  # named beside tasks, or alone: whatever moves, for tasks that nobody has named; it takes no label


def build_tasks(
    names: Sequence[str],
    features: FeatureSet,
    labels: Labels,
    *,
    segments: dict[str, list[Segment]] | None = None,
    clips_per_video: int = 1,
    whole_videos: bool = False,
    batch_size: int = 512,
    timing: ClipTiming | None = None,
    heads: Mapping[str, str] | None = None,
) -> dict[str, Task]:
    """The tasks called ``names`` on the temporal clips of ``features``; detection and anomaly need ``segments``.

    Tasks may live on different videos: a blank in the column of a task (``action``, ``detection``, ``anomaly``) keeps a
    video out of it. ``timing`` is that of the store the features come from. ``heads`` are names of heads
    (`tasks/heads/`) by task, for those that shall not have the usual one; the others are of ``TaskData``.
    """
    heads = heads or {}
    check_tasks(names, with_segments=segments is not None, heads=heads)
    data = TaskData(
        features, labels, segments or {}, timing or ClipTiming(), clips_per_video, whole_videos, batch_size
    )
    return {name: find_head(name, heads.get(name)).build(data) for name in names}


def check_tasks(names: Sequence[str], *, with_segments: bool, heads: Mapping[str, str] | None = None) -> None:
    """Refuse what is wrong in the words alone: names of no task or head, and tasks that lack their segments."""
    for name in heads or {}:
        if name not in TASKS:
            near = did_you_mean(name, TASKS)
            raise UsageError(f"heads must be of the tasks {', '.join(TASKS)}, got {name!r}.{near}")
    for name in names:
        if name not in TASKS:
            near = did_you_mean(name, TASKS)
            raise UsageError(f"tasks must be among {', '.join(TASKS)}, got {name!r}.{near}")
        if find_head(name, (heads or {}).get(name)).needs_segments and not with_segments:
            raise UsageError(
                f"segments must be given for the task {name}, got none. "
                f"Add {argument('segments', 'segments.csv')}."
            )


def split_motion(names: Sequence[str]) -> tuple[tuple[str, ...], bool]:
    """The names of the tasks that take labels, and whether motion is among ``names``; other names are refused."""
    known = (*TASKS, MOTION)
    unknown = [name for name in names if name not in known]
    if unknown:
        near = did_you_mean(unknown[0], known)
        raise UsageError(f"tasks must be among {', '.join(known)}, got {unknown[0]!r}.{near}")
    return tuple(name for name in names if name != MOTION), MOTION in names


def available_tasks(labels: Labels, segments: dict[str, list[Segment]] | None) -> list[str]:
    """The tasks that the labels allow: those with a column of their own, the latter two only with segments.

    Segments beside neither a column ``detection`` nor a column ``anomaly`` are for detection in all videos.
    """
    names = ["action"] if "action" in labels.columns else []
    if segments is not None:
        timed = [name for name in ("detection", "anomaly") if name in labels.columns]
        names += timed or ["detection"]
    return names
