"""The contract of a task head: it learns from training videos alone, and its loss reaches features and head."""

from __future__ import annotations

import math

import torch
from torch import Tensor, nn

from latentveil.config import TASKS
from latentveil.tasks.base import Task, TaskBatch
from latentveil.tasks.heads.base import HEADS, Head, TaskData
from latentveil.testing.contract import require, require_facts
from latentveil.testing.videos import Videos, make_videos


def check_head(head: str | Head) -> None:
    """Raise ``ContractBroken`` where the head (a name, ``package.module:object`` or the object) breaks a promise.

    It is built on 32 small videos made on the spot; nothing is trained to the end.
    """
    found = HEADS.get(head)
    require_facts(found, "head")
    require(
        found.task in TASKS,
        f"task of the head {found.name!r} must be one of {', '.join(TASKS)}, got {found.task!r}.",
    )
    videos = make_videos()
    task = _build(found, videos)
    model = task.build_head(seed=0)
    _is_built_by_its_seed(found, task, model)
    _its_loss_reaches_features_and_head(found, task, model)
    _its_examples_are_labelled_stretches(found, task)
    _scores_without_failing(found, task, model)
    _reads_no_test_video(found, task, _build(found, videos.with_other("test")))


def _build(head: Head, videos: Videos) -> Task:
    task = head.build(TaskData(videos.features, videos.labels, videos.segments))
    require(
        isinstance(task, Task) and task.name == head.task,
        f"head {head.name!r} must build the task {head.task}, got {task!r}.",
    )
    return task


def _is_built_by_its_seed(head: Head, task: Task, model: nn.Module) -> None:
    first, again = model.state_dict(), task.build_head(seed=0).state_dict()
    require(bool(list(model.parameters())), f"head {head.name!r} must have something to learn, got nothing.")
    require(
        all(torch.equal(first[name], again[name]) for name in first),
        f"head {head.name!r} must be built by its seed alone, got another one.",
    )


def _its_loss_reaches_features_and_head(head: Head, task: Task, model: nn.Module) -> None:
    batch = _first_batch(task)
    features = batch.features.clone().requires_grad_(True)
    loss = task.loss(model.train(), features, batch)
    require(
        loss.ndim == 0 and math.isfinite(float(loss.detach())),
        f"loss of the head {head.name!r} must be one finite number, got {loss}.",
    )
    loss.backward()
    learns = [value.grad for value in model.parameters() if value.grad is not None]
    require(
        features.grad is not None
        and any(bool(found.any()) for found in learns)
        and bool(features.grad.any()),
        f"loss of the head {head.name!r} must have a gradient at its features and its weights, got none.",
    )


def _its_examples_are_labelled_stretches(head: Head, task: Task) -> None:
    examples = list(task.examples())
    labels = {label for _, label in examples}
    shapes = all(
        isinstance(stretch, Tensor) and stretch.ndim == 2 and len(stretch) for stretch, _ in examples
    )
    require(
        shapes and len(labels) > 1,
        f"examples of the head {head.name!r} must be stretches (T, D) of several classes, got {labels}.",
    )


def _scores_without_failing(head: Head, task: Task, model: nn.Module) -> None:
    score = task.score(model.eval(), "val", seed=0)
    require(
        0 <= score.interval.value <= 1 and score.metric == task.metric and 0 <= task.chance <= 1,
        f"score of the head {head.name!r} must be a share in its metric {task.metric}, got {score}.",
    )


def _reads_no_test_video(head: Head, task: Task, other: Task) -> None:
    """``other`` is the same task but for its test videos."""
    one, two = _first_batch(task), _first_batch(other)
    require(
        torch.equal(one.features, two.features),
        f"head {head.name!r} must learn from training videos alone, got batches that follow test videos.",
    )


def _first_batch(task: Task) -> TaskBatch:
    return next(iter(task.batches(seed=0)))
