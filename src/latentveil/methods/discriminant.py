"""Our default: keep the few directions that tell the tasks' classes apart, blur within the video, cover with noise.

A task's classes, and the phases that each class goes through in time, span few directions; what else a feature holds,
appearance above all, is dropped, not disguised. Noise drawn once per video hides the residue that the kept
directions carry: it cannot be averaged away over clips, and no attacker can amplify what lies below it.
"""

from __future__ import annotations

import torch
from torch import Tensor

from latentveil.adapters.adapter import AnonymizingAdapter
from latentveil.adapters.affine import AffineNetwork
from latentveil.config import FitConfig
from latentveil.errors import InputError
from latentveil.methods.base import TrainingData

NUM_PHASES = 3


def fit(data: TrainingData, config: FitConfig, **_: object) -> AnonymizingAdapter:
    """Find ``erasure.keep`` directions v with the largest ratio of v'(A + phases B)v to v'(C + ridge I)v.

    A is the scatter of the class means of stretches (one per video for actions), B that of the means of each class in
    each third of a stretch, C the covariance of stretches within their class, scaled to a total variance of 1. A large
    ``erasure.ridge`` prefers directions in which classes lie far apart to those in which people happen to differ
    little: the former carry over to classes that nobody showed. Each direction is scaled so that stretches of one
    class have unit spread, and averaged over ``erasure.window`` clips (0: the whole video); ``erasure.noise`` is the
    noise's spread in that unit.
    """
    if not data.tasks:
        raise InputError(
            "tasks must be given for the method discriminant, got none. Name at least one with --tasks."
        )
    examples = [
        [(stretch.double(), label) for stretch, label in task.examples()] for task in data.tasks.values()
    ]
    everything = torch.cat([stretch for found in examples for stretch, _ in found])
    mean, dim = everything.mean(dim=0), data.features.dim
    wanted = torch.zeros(dim, dim, dtype=torch.double)
    residuals = []
    for found in examples:
        between, phases, within = scatters(found)
        wanted += between + config.erasure.phases * phases
        residuals.append(within)
    residual = torch.cat(residuals)  # (N, D)
    spread = residual.T @ residual / len(residual)
    unwanted = spread / spread.trace() + config.erasure.ridge * torch.eye(dim, dtype=torch.double)
    axes = leading_ratios(wanted, unwanted, config.erasure.keep)  # (D, k)
    axes = axes / (residual @ axes).square().mean(dim=0).sqrt()
    basis, _ = torch.linalg.qr(axes)  # (D, k): where the k numbers are put among the D dimensions
    adapter = AnonymizingAdapter(
        dim=dim,
        architecture="affine",
        window=config.erasure.window,
        noise_rank=basis.shape[1],
        noise_per="video",
    )
    network = adapter.network
    assert isinstance(network, AffineNetwork)
    network.weight.zero_()
    network.mean_weight.copy_(basis @ axes.T)
    network.bias.copy_(-(basis @ axes.T @ mean))
    adapter.noise_factor.copy_(config.erasure.noise * basis)
    return adapter.eval()


def scatters(examples: list[tuple[Tensor, int]]) -> tuple[Tensor, Tensor, Tensor]:
    """Scatter of class means (D, D), scatter of class-and-phase means (D, D), and residuals of stretch means (N, D)."""
    means = torch.stack([stretch.mean(dim=0) for stretch, _ in examples])  # (N, D)
    thirds = torch.stack([phase_means(stretch) for stretch, _ in examples])  # (N, P, D)
    labels = torch.tensor([label for _, label in examples])
    classes = labels.unique()
    if len(classes) < 2:
        raise InputError("a task must have at least two classes among its training videos, got one.")
    class_means = torch.stack([means[labels == label].mean(dim=0) for label in classes])  # (C, D)
    class_phases = torch.cat([thirds[labels == label].mean(dim=0) for label in classes])  # (C P, D)
    residuals = means - class_means[torch.searchsorted(classes, labels)]
    centre = means.mean(dim=0)
    return _second_moment(class_means - centre), _second_moment(class_phases - centre), residuals


def phase_means(stretch: Tensor) -> Tensor:
    """The mean of each third of a stretch (T, D): (3, D); clips come round where there are fewer than three."""
    parts = torch.arange(len(stretch)) * NUM_PHASES // len(stretch)  # (T,)
    places = [(parts == phase).nonzero()[:, 0] for phase in range(NUM_PHASES)]
    nearest = [min(phase * len(stretch) // NUM_PHASES, len(stretch) - 1) for phase in range(NUM_PHASES)]
    return torch.stack(
        [stretch[rows].mean(dim=0) if len(rows) else stretch[near] for rows, near in zip(places, nearest)]
    )


def leading_ratios(wanted: Tensor, unwanted: Tensor, count: int) -> Tensor:
    """The ``count`` directions (D, count) with the largest ratio of v' wanted v to v' unwanted v."""
    root = torch.linalg.cholesky(unwanted)
    half = torch.linalg.solve_triangular(root, wanted, upper=False)
    whitened = torch.linalg.solve_triangular(root, half.T, upper=False)  # (D, D)
    strength, axes = torch.linalg.eigh((whitened + whitened.T) / 2)  # ascending
    useful = int((strength > 1e-9 * strength.max()).sum())
    chosen = axes[:, -min(count, useful) :].flip(1)
    return torch.linalg.solve_triangular(root.T, chosen, upper=True)


def _second_moment(rows: Tensor) -> Tensor:
    return rows.T @ rows / len(rows)
