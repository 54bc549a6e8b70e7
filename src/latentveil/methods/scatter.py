"""Scatters of labelled stretches of video, and the directions in which one scatter is large against another.

They are summed up stretch by stretch, in two passes, so that no more than a stretch is held in double precision.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import torch
from torch import Tensor

from latentveil.errors import InputError
from latentveil.sequences import phase_means
from latentveil.tasks.base import Task

NUM_PHASES = 3
BLOCK_STRETCHES = 1024  # whose means are multiplied at once


class Examples:
    """The stretches (T, D) of a task's training videos in double precision, with their classes; read anew each time."""

    def __init__(self, task: Task) -> None:
        self._task = task

    def __iter__(self) -> Iterator[tuple[Tensor, int]]:
        return ((stretch.double(), label) for stretch, label in self._task.examples())


@dataclass(frozen=True, eq=False)
class Scatters:
    """Of stretches with classes: ``between`` class means, of class-and-phase means (``phases``), ``within`` classes.

    Shapes: (D, D) each, as mean outer products. ``num_stretches`` and ``num_clips`` were summed up, the latter to
    ``clip_sum`` (D,).
    """

    between: Tensor
    phases: Tensor
    within: Tensor
    num_stretches: int
    num_clips: int
    clip_sum: Tensor


def scatters(examples: Iterable[tuple[Tensor, int]]) -> Scatters:
    """The scatters of ``examples``, stretches (T, D) of one class each, which are gone through twice."""
    sums, counts = _class_sums(
        examples
    )  # {class: (1 + P, D)}: the sums of means and of the means of each phase
    if len(sums) < 2:
        raise InputError("a task must have at least two classes among its training videos, got one.")
    means = {label: total / counts[label] for label, total in sums.items()}
    num_stretches = sum(counts.values())
    centre = torch.stack(list(sums.values()))[:, 0].sum(dim=0) / num_stretches  # (D,)
    within = torch.zeros(len(centre), len(centre), dtype=centre.dtype)
    num_clips, clip_sum = 0, torch.zeros_like(centre)
    block: list[Tensor] = []
    for stretch, label in examples:
        num_clips += len(stretch)
        clip_sum += stretch.sum(dim=0)
        block.append(stretch.mean(dim=0) - means[label][0])
        if len(block) == BLOCK_STRETCHES:
            _add_products(within, block)
    _add_products(within, block)
    stacked = torch.stack([means[label] for label in sorted(means)])  # (C, 1 + P, D)
    return Scatters(
        between=second_moment(stacked[:, 0] - centre),
        phases=second_moment(stacked[:, 1:].flatten(0, 1) - centre),
        within=within / num_stretches,
        num_stretches=num_stretches,
        num_clips=num_clips,
        clip_sum=clip_sum,
    )


def _class_sums(examples: Iterable[tuple[Tensor, int]]) -> tuple[dict[int, Tensor], dict[int, int]]:
    """For each class the sum (1 + P, D) of its stretches' means and of the means of their thirds, and their number."""
    sums: dict[int, Tensor] = {}
    counts: dict[int, int] = {}
    for stretch, label in examples:
        found = torch.cat([stretch.mean(dim=0)[None], _thirds(stretch)[0]])  # (1 + P, D)
        sums[label] = sums[label] + found if label in sums else found
        counts[label] = counts.get(label, 0) + 1
    return sums, counts


def _add_products(total: Tensor, block: list[Tensor]) -> None:
    """Add the outer products of the rows of a block to ``total`` (D, D), and empty the block."""
    if block:
        rows = torch.stack(block)
        total.addmm_(rows.T, rows)
        block.clear()


def within_classes(values: Tensor, labels: Tensor) -> Tensor:
    """What is left of ``values`` (N, C) when the mean of each value's class is taken away."""
    classes, index = labels.unique(return_inverse=True)
    means = torch.stack([values[labels == label].mean(dim=0) for label in classes])
    return values - means[index]


def leading_ratios(wanted: Tensor, unwanted: Tensor) -> tuple[Tensor, Tensor]:
    """The ratios (D,) of v' wanted v to v' unwanted v, falling, and their directions v (D, D), v' unwanted v = 1."""
    root = torch.linalg.cholesky(unwanted)
    half = torch.linalg.solve_triangular(root, wanted, upper=False)
    whitened = torch.linalg.solve_triangular(root, half.T, upper=False)  # (D, D)
    ratios, axes = torch.linalg.eigh((whitened + whitened.T) / 2)  # ascending
    return ratios.flip(0), torch.linalg.solve_triangular(root.T, axes.flip(1), upper=True)


def _thirds(stretch: Tensor) -> Tensor:
    """The means of the thirds of a stretch (T, D): (1, 3, D)."""
    return phase_means(stretch[None], torch.ones(1, len(stretch), dtype=torch.bool), NUM_PHASES)


def second_moment(rows: Tensor) -> Tensor:
    """The mean outer product (D, D) of ``rows`` (N, D)."""
    return rows.T @ rows / len(rows)
