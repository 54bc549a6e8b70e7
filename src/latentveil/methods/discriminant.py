"""A linear anonymizer: keep the few directions that tell the tasks' classes apart, blur within the video, add noise.

A task's classes, and the phases that each class goes through in time, span few directions; what else a feature holds,
appearance above all, is dropped, not disguised. Noise drawn once per video hides the residue that the kept
directions carry: it cannot be averaged away over clips, and no attacker can amplify what lies below it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from pydantic import Field
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.affine import AffineNetwork
from latentveil.config import Settings
from latentveil.errors import InputError, UsageError
from latentveil.methods.base import Dials, Method, TrainingData
from latentveil.methods.noise import NoiseSection
from latentveil.methods.pca import ProjectionSection
from latentveil.methods.scatter import Examples, leading_ratios, scatters
from latentveil.tasks.base import Task


class DirectionsSection(NoiseSection, ProjectionSection):
    """Which directions stay, ``keep`` of them for each task, and the noise in units of the spread within a class.

    ``ridge`` and ``phases`` as in ``find_directions``. Without a ``window`` the tasks decide: the whole video, or a
    clip where one of them looks within videos.
    """

    ridge: float = Field(0.003, gt=0)
    phases: float = Field(1.0, ge=0)
    window: int | None = Field(None, ge=0)


class DiscriminantSettings(Settings):
    """The directions and the noise."""

    erasure: DirectionsSection = DirectionsSection()


@dataclass(frozen=True)
class TaskDirections:
    """Directions ``axes`` (D, k), each with unit spread within classes, around ``mean`` (D,); ``examples`` per task."""

    axes: Tensor
    mean: Tensor
    examples: list[Examples]


def fit(data: TrainingData, settings: DiscriminantSettings, **_: object) -> Adapter:
    """Average the task directions over ``erasure.window`` clips (see ``choose_window``) and drop all others.

    There are at most ``erasure.keep`` of them for each task. ``erasure.noise`` is the noise's spread in units of the
    spread within a class.
    """
    found = find_directions(data, settings.erasure, keep=settings.erasure.keep * len(data.tasks))
    basis, _ = torch.linalg.qr(found.axes)  # (D, k): where the k numbers are put among the D dimensions
    adapter = Adapter(
        dim=data.features.dim,
        architecture="affine",
        window=choose_window(data.tasks, settings.erasure),
        noise_rank=basis.shape[1],
        noise_per="video",
    )
    network = adapter.network
    assert isinstance(network, AffineNetwork)
    network.weight.zero_()
    network.mean_weight.copy_(basis @ found.axes.T)
    network.bias.copy_(-(basis @ found.axes.T @ found.mean))
    adapter.noise_factor.copy_(settings.erasure.noise * basis)
    return adapter.eval()


def find_directions(data: TrainingData, erasure: DirectionsSection, *, keep: int) -> TaskDirections:
    """``keep`` directions v with the largest ratio of v'(A + phases B)v to v'(C + ridge I)v, at most.

    A is the scatter of the class means of stretches (one per video for actions), B that of the means of each class in
    each third of a stretch, C the covariance of stretches within their class, scaled to a total variance of 1. A large
    ``erasure.ridge`` prefers directions in which classes lie far apart to those in which people happen to differ
    little: the former carry over to classes that nobody showed.
    """
    if not data.tasks:
        raise UsageError(
            "tasks must be given for methods that keep what tasks need, got none. Name at least one."
        )
    examples = [Examples(task) for task in data.tasks.values()]
    found = [scatters(of_task) for of_task in examples]
    dim = data.features.dim
    wanted = sum(
        (one.between + erasure.phases * one.phases for one in found),
        start=torch.zeros(dim, dim, dtype=torch.double),
    )
    num_stretches = sum(one.num_stretches for one in found)
    spread = torch.stack([one.within * (one.num_stretches / num_stretches) for one in found]).sum(dim=0)
    if not spread.trace() > 0:
        raise InputError(
            "a class must have two different training videos to tell what people change about it, got one of each "
            "class. Add videos to the split train."
        )
    unwanted = spread / spread.trace() + erasure.ridge * torch.eye(dim, dtype=torch.double)
    ratios, axes = leading_ratios(wanted, unwanted)
    useful = int((ratios > 1e-9 * ratios[0]).sum())
    axes = axes[:, : min(keep, useful)]  # (D, k)
    axes = axes / (axes * (spread @ axes)).sum(dim=0).sqrt()
    clip_sum = torch.stack([one.clip_sum for one in found]).sum(dim=0)
    return TaskDirections(axes, clip_sum / sum(one.num_clips for one in found), examples)


def choose_window(tasks: Mapping[str, Task], erasure: DirectionsSection) -> int:
    """Over how many clips is averaged: ``erasure.window``, or what the tasks allow (0: the whole video)."""
    locating = [name for name, task in tasks.items() if task.locates]
    if erasure.window is None:
        return 1 if locating else 0
    if locating and not erasure.window:
        raise UsageError(
            f"erasure.window must be odd where a task looks within videos ({', '.join(locating)}), got 0, which makes "
            "all clips of a video equal. Leave it out, or set it to 1."
        )
    return erasure.window


def dials(with_motion: bool) -> Dials:
    return {"erasure.keep": (6, 12, 24), "erasure.noise": (0.25, 0.5, 1.0)}


method = Method(
    name="discriminant",
    fit=fit,
    about="The few directions that tell the tasks' classes apart, blurred within the video, with noise.",
    Settings=DiscriminantSettings,
    dials=dials,
)
