"""A linear anonymizer: keep the few directions that tell the tasks' classes apart, blur within the video, add noise.

A task's classes, and the phases that each class goes through in time, span few directions; what else a feature holds,
appearance above all, is dropped, not disguised. Noise drawn once per video hides the residue that the kept
directions carry: it cannot be averaged away over clips, and no attacker can amplify what lies below it.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.adapters.affine import AffineNetwork
from latentveil.config import ErasureConfig, FitConfig
from latentveil.errors import InputError
from latentveil.methods.base import TrainingData
from latentveil.sequences import phase_means
from latentveil.types import TEMPORAL, FeatureSet

NUM_PHASES = 3
Examples = list[tuple[Tensor, int]]  # stretches (T, D) of one class each


@dataclass(frozen=True)
class TaskDirections:
    """Directions ``axes`` (D, k), each with unit spread within classes, around ``mean`` (D,); ``examples`` per task."""

    axes: Tensor
    mean: Tensor
    examples: list[Examples]


def fit(data: TrainingData, config: FitConfig, **_: object) -> AnonymizingAdapter:
    """Average the task directions over ``erasure.window`` clips (0: the whole video) and drop all others.

    ``erasure.noise`` is the noise's spread in units of the spread within a class.
    """
    found = find_directions(data, config.erasure)
    basis, _ = torch.linalg.qr(found.axes)  # (D, k): where the k numbers are put among the D dimensions
    adapter = AnonymizingAdapter(
        dim=data.features.dim,
        architecture="affine",
        window=config.erasure.window,
        noise_rank=basis.shape[1],
        noise_per="video",
    )
    network = adapter.network
    assert isinstance(network, AffineNetwork)
    network.weight.zero_()
    network.mean_weight.copy_(basis @ found.axes.T)
    network.bias.copy_(-(basis @ found.axes.T @ found.mean))
    adapter.noise_factor.copy_(config.erasure.noise * basis)
    return adapter.eval()


def find_directions(data: TrainingData, erasure: ErasureConfig) -> TaskDirections:
    """``erasure.keep`` directions v with the largest ratio of v'(A + phases B)v to v'(C + ridge I)v, at most.

    A is the scatter of the class means of stretches (one per video for actions), B that of the means of each class in
    each third of a stretch, C the covariance of stretches within their class, scaled to a total variance of 1. A large
    ``erasure.ridge`` prefers directions in which classes lie far apart to those in which people happen to differ
    little: the former carry over to classes that nobody showed. ``erasure.motion`` adds to A + phases B, scaled to a
    total variance of 1, so many times the scatter of the steps between neighbouring clips of all training videos,
    scaled alike: looks cancel in a step, so what moves is kept for tasks that nobody showed.
    """
    if not data.tasks:
        raise InputError(
            "tasks must be given for methods that keep what tasks need, got none. Name at least one with --tasks."
        )
    locating = [name for name, task in data.tasks.items() if task.locates]
    if locating and not erasure.window:
        raise InputError(
            f"erasure.window must be odd where a task looks within videos ({', '.join(locating)}), got 0, which makes "
            "all clips of a video equal. Add --set erasure.window=1."
        )
    examples = [
        [(stretch.double(), label) for stretch, label in task.examples()] for task in data.tasks.values()
    ]
    everything = torch.cat([stretch for found in examples for stretch, _ in found])
    dim = data.features.dim
    wanted = torch.zeros(dim, dim, dtype=torch.double)
    residuals = []
    for found in examples:
        between, phases, within = scatters(found)
        wanted += between + erasure.phases * phases
        residuals.append(within)
    if erasure.motion:
        wanted = wanted / wanted.trace() + erasure.motion * step_scatter(data.features)
    residual = torch.cat(residuals)  # (N, D)
    spread = residual.T @ residual / len(residual)
    unwanted = spread / spread.trace() + erasure.ridge * torch.eye(dim, dtype=torch.double)
    axes = leading_ratios(wanted, unwanted, erasure.keep)  # (D, k)
    axes = axes / (residual @ axes).square().mean(dim=0).sqrt()
    return TaskDirections(axes, everything.mean(dim=0), examples)


def step_scatter(features: FeatureSet) -> Tensor:
    """The scatter (D, D), of trace 1, of the steps from each temporal clip of a video to the next."""
    clips = features.of_kind(TEMPORAL)
    sequences = [torch.as_tensor(clips.feature[rows]).double() for _, _, _, rows in clips.sequences()]
    steps = torch.cat([sequence.diff(dim=0) for sequence in sequences])  # (M, D)
    if not steps.any():
        raise InputError(
            "videos must have several clips that differ, for erasure.motion, got none. Set it to 0."
        )
    scatter = _second_moment(steps)
    return scatter / scatter.trace()


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
        _second_moment(class_means - centre),
        _second_moment(class_phases - centre),
        within_classes(means, labels),
    )


def within_classes(values: Tensor, labels: Tensor) -> Tensor:
    """What is left of ``values`` (N, C) when the mean of each value's class is taken away."""
    classes, index = labels.unique(return_inverse=True)
    means = torch.stack([values[labels == label].mean(dim=0) for label in classes])
    return values - means[index]


def leading_ratios(wanted: Tensor, unwanted: Tensor, count: int) -> Tensor:
    """The ``count`` directions (D, count) with the largest ratio of v' wanted v to v' unwanted v."""
    root = torch.linalg.cholesky(unwanted)
    half = torch.linalg.solve_triangular(root, wanted, upper=False)
    whitened = torch.linalg.solve_triangular(root, half.T, upper=False)  # (D, D)
    strength, axes = torch.linalg.eigh((whitened + whitened.T) / 2)  # ascending
    useful = int((strength > 1e-9 * strength.max()).sum())
    chosen = axes[:, -min(count, useful) :].flip(1)
    return torch.linalg.solve_triangular(root.T, chosen, upper=True)


def _thirds(stretch: Tensor) -> Tensor:
    """The means of the thirds of a stretch (T, D): (1, 3, D)."""
    return phase_means(stretch[None], torch.ones(1, len(stretch), dtype=torch.bool), NUM_PHASES)


def _second_moment(rows: Tensor) -> Tensor:
    return rows.T @ rows / len(rows)
