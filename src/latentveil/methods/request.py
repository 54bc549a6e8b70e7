"""What a fit is asked for: wrong words are told before any file is opened, and the whole of it can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from latentveil.adapters.saved import CONFIG_FILE
from latentveil.arguments import argument
from latentveil.checksums import short_checksum
from latentveil.config import USUAL_TASK, change_settings
from latentveil.errors import UsageError
from latentveil.files.requests import Request
from latentveil.labels import Labels, Segment
from latentveil.methods.base import Method
from latentveil.methods.material import require_named
from latentveil.methods.plan import DEFAULT_PRESET, FitPlan, load_config
from latentveil.names import as_names
from latentveil.store.sample import require_read_gb
from latentveil.store.sources import Features, content_name
from latentveil.tasks.build import MOTION, check_tasks, split_motion


def task_names(tasks: str | Sequence[str] | None, *, release: bool) -> list[str]:
    """The tasks to keep; a release is made for none by name."""
    if not release:
        return as_names(USUAL_TASK if tasks is None else tasks)
    if tasks is not None:
        raise UsageError(
            f"tasks must be left out with {argument('release', True)}, which serves tasks that nobody has named, got "
            f"{', '.join(as_names(tasks)) or 'none'}."
        )
    return [MOTION]


def plan_for(
    preset: str | None,
    method: str | Method | None,
    changes: Sequence[str],
    *,
    groups: str | None,
    release: bool,
    seed: int | None,
    device: str,
) -> FitPlan:
    """The method and its settings; groups and a release are for methods that treat a release as a set."""
    if (groups is not None or release) and method is None and preset in (None, DEFAULT_PRESET):
        method = "transport"
    plan = load_config(preset, changes, method=method)
    if (groups is not None or release) and not plan.method.as_set:
        raise UsageError(
            f"method must be transport with {argument('groups')} or {argument('release', True)}, got "
            f"{plan.method.name!r}. Leave them out, or take {argument('method', 'transport')}."
        )
    fixed = [f"train.seed={seed or 0}", f"train.device={device}"]
    named = [] if groups is None else [f"transport.groups={groups}"]
    if plan.method.as_set and seed is None:
        named.append("transport.secret=true")
    owner = f"the method {plan.method.name}"
    return replace(plan, settings=change_settings(plan.settings, [*fixed, *named], owner=owner))


def fit_request(
    plan: FitPlan,
    tasks: Sequence[str],
    source: Features,
    *,
    labels: Labels | None,
    segments: dict[str, list[Segment]] | None,
    **options: Any,
) -> Request:
    """All that a fit depends on, in words that people can compare; ``options`` are plain values."""
    asked = {
        **plan.identity(),
        "tasks": list(tasks),
        "features": content_name(source),
        "labels": short_checksum(labels),
        "segments": short_checksum(segments),
    }
    return Request("an adapter", CONFIG_FILE, asked | options)


def check_request(
    plan: FitPlan,
    tasks: Sequence[str],
    *,
    with_labels: bool,
    with_segments: bool = False,
    live: bool = False,
    read_gb: float | None = None,
) -> None:
    """Refuse tasks, files that are missing, and a device or a method that cannot do what is asked."""
    names, motion = split_motion(tasks)
    if not with_labels and set(tasks) != {MOTION}:
        raise UsageError(
            f"labels must be given for the tasks {', '.join(tasks) or 'none'}, got none. "
            f"Add {argument('labels', 'labels.csv')}, or {argument('tasks', MOTION)} to keep what moves, "
            "which takes no label."
        )
    plan.check(motion=motion, live=live)
    require_read_gb(read_gb)
    if not plan.method.as_set:  # one that does reads no task
        require_named(plan.settings, names)
        check_tasks(names, with_segments=with_segments, heads=plan.settings.task_options().get("heads"))
    elif read_gb is not None:
        raise UsageError(
            f"read_gb must be left out with the method {plan.method.name}, which reads every video shard by shard, "
            f"got {read_gb}."
        )
