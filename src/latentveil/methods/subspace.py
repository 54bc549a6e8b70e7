"""A closed-form, label-free eraser: what predicts the stills goes, what the task needs stays, noise covers the rest."""

from __future__ import annotations

import numpy as np
import torch
from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.arguments import argument
from latentveil.config import Settings
from latentveil.errors import InputError, UsageError
from latentveil.methods.base import Dials, Method, TrainingData, with_stills
from latentveil.methods.closed_form import (
    BLOCK_ROWS,
    affine_adapter,
    in_blocks,
    mean_of,
    principal_axes,
    rows_of,
    scale_of,
)
from latentveil.methods.leace import erase
from latentveil.methods.noise import NoiseSection
from latentveil.types import STATIC, TEMPORAL, FeatureSet


class SubspaceSection(NoiseSection):
    """``stills`` is the number of principal components of the stills that are erased."""

    stills: int = Field(32, ge=0)


class SubspaceSettings(Settings):
    """What is erased, and how much noise covers the rest."""

    erasure: SubspaceSection = SubspaceSection()


def fit(data: TrainingData, settings: SubspaceSettings, **_: object) -> Adapter:
    """Erase from a clip what linearly predicts ``erasure.stills`` principal components of its video's stills.

    Directions that the linear heads of the tasks read are put back unchanged; noise of ``erasure.noise`` times the
    features' typical spread is added outside them.
    """
    clips = data.features.of_kind(TEMPORAL)
    features = rows_of(clips)
    dim = clips.dim
    weight, bias = torch.eye(dim, dtype=torch.double), torch.zeros(dim, dtype=torch.double)
    if settings.erasure.stills:
        weight, bias = erase(features, still_components(data.features, clips, settings.erasure.stills))
    kept = task_projection(data, seed=settings.train.seed)  # (D, D)
    weight = weight + kept @ (torch.eye(dim) - weight)
    bias = bias - kept @ bias
    noise_factor = None
    if settings.erasure.noise:
        outside = torch.eye(dim, dtype=torch.double) - kept
        noise_factor = settings.erasure.noise * scale_of(features) * outside
    return affine_adapter(weight, bias, noise_factor=noise_factor)


def still_components(features: FeatureSet, clips: FeatureSet, count: int) -> Tensor:
    """For every clip, the first ``count`` principal components of its video's mean still: (N, count)."""
    stills = features.of_kind(STATIC)
    if not set(clips.video) <= set(stills.video):
        raise InputError(
            f"features must hold static clips of every training video, got none. {with_stills()}."
        )
    videos, index = np.unique(stills.video, return_inverse=True)
    means = torch.zeros(len(videos), stills.dim, dtype=torch.double)  # (V, D)
    for block, places in zip(in_blocks(rows_of(stills)), torch.as_tensor(index).split(BLOCK_ROWS)):
        means.index_add_(0, places, block)
    means /= torch.as_tensor(np.bincount(index))[:, None]
    axes = principal_axes(means, count)
    components = means @ axes - mean_of(means) @ axes  # (V, count)
    return components[np.searchsorted(videos, clips.video)]


def task_projection(data: TrainingData, *, seed: int) -> Tensor:
    """The orthogonal projection (D, D) on all directions that linear task heads read."""
    locating = [name for name, task in data.tasks.items() if task.locates]
    if locating:
        raise UsageError(
            f"tasks must have linear heads for the method subspace, got {', '.join(locating)}. "
            f"Leave them out, or choose {argument('preset', 'veil')}."
        )
    heads = [task.fit_head(seed=seed) for task in data.tasks.values()]
    rows = [head.weight.detach().double() for head in heads if isinstance(head, nn.Linear)]  # each (C, D)
    if not rows:
        return torch.zeros(data.features.dim, data.features.dim, dtype=torch.double)
    centred = [row - row.mean(dim=0) for row in rows]  # a shift of all logits changes no decision
    _, strength, axes = torch.linalg.svd(torch.cat(centred), full_matrices=False)
    axes = axes[strength > 1e-6 * strength.max()]  # (R, D)
    return axes.T @ axes


def dials(with_motion: bool) -> Dials:
    return {"erasure.stills": (8, 32, 128), "erasure.noise": (0.25, 0.5, 1.0)}


method = Method(
    name="subspace",
    fit=fit,
    about="What predicts the stills goes, what linear task heads read stays, noise covers the rest.",
    Settings=SubspaceSettings,
    dials=dials,
)
