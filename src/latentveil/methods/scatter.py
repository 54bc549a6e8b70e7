"""Scatters of labelled stretches of video, and the directions in which one scatter is large against another."""

from __future__ import annotations

import torch
from torch import Tensor

from latentveil.errors import InputError
from latentveil.sequences import phase_means
from latentveil.tasks.base import Task

NUM_PHASES = 3
Examples = list[tuple[Tensor, int]]  # stretches (T, D) of one class each


def examples_of(task: Task) -> Examples:
    """The stretches of a task's training videos, in double precision."""
    return [(stretch.double(), label) for stretch, label in task.examples()]


def scatters(examples: Examples) -> tuple[Tensor, Tensor, Tensor]:
    """Scatter of class means (D, D), scatter of class-and-phase means (D, D), and residuals of stretch means (N, D)."""
    means = torch.stack([stretch.mean(dim=0) for stretch, _ in examples])  # (N, D)
    thirds = torch.cat([_thirds(stretch) for stretch, _ in examples])  # (N, P, D)
    labels = torch.tensor([label for _, label in examples])
    classes = labels.unique()
    if len(classes) < 2:
        raise InputError("a task must have at least two classes among its training videos, got one.")
    class_phases = torch.cat([thirds[labels == label].mean(dim=0) for label in classes])  # (C P, D)
    class_means = torch.stack([means[labels == label].mean(dim=0) for label in classes])  # (C, D)
    centre = means.mean(dim=0)
    return (
        second_moment(class_means - centre),
        second_moment(class_phases - centre),
        within_classes(means, labels),
    )


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
