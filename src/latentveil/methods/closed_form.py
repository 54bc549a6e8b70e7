"""What the closed-form methods share: an affine adapter from a map and noise, and simple statistics of features."""

from __future__ import annotations

import torch
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.affine import AffineNetwork
from latentveil.types import FeatureSet


def affine_adapter(
    weight: Tensor, bias: Tensor, *, noise_factor: Tensor | None = None, noise_per: str = "clip"
) -> Adapter:
    """An adapter that gives ``weight`` (D, D) x + ``bias`` (D,) + ``noise_factor`` (D, R) z with z ~ N(0, 1)."""
    rank = 0 if noise_factor is None else noise_factor.shape[1]
    adapter = Adapter(dim=len(bias), architecture="affine", noise_rank=rank, noise_per=noise_per)
    assert isinstance(adapter.network, AffineNetwork)
    adapter.network.weight.copy_(weight)
    adapter.network.bias.copy_(bias)
    if noise_factor is not None:
        adapter.noise_factor.copy_(noise_factor)
    return adapter.eval()


def projection_adapter(basis: Tensor, mean: Tensor) -> Adapter:
    """Keep the directions of the orthonormal ``basis`` (D, k) around ``mean`` (D,), drop all others."""
    projection = basis @ basis.T  # (D, D)
    return affine_adapter(projection, mean - projection @ mean)


def matrix(features: FeatureSet) -> Tensor:
    """The features (N, D) in double precision."""
    return torch.as_tensor(features.feature).double()


def scale_of(features: Tensor) -> float:
    """The typical spread of one dimension of ``features`` (N, D): root of the mean variance."""
    return float(features.var(dim=0).mean().sqrt())


def principal_axes(features: Tensor, count: int) -> Tensor:
    """The ``count`` directions (D, k) in which ``features`` (N, D) vary most, k at most min(N - 1, D)."""
    centred = features - features.mean(dim=0)
    _, _, axes = torch.linalg.svd(centred, full_matrices=False)  # (min(N, D), D)
    return axes[: min(count, len(features) - 1)].T


def random_basis(dim: int, count: int, *, seed: int) -> Tensor:
    """``count`` orthonormal directions (D, count) at random, which leave no single dimension idle."""
    generator = torch.Generator().manual_seed(seed)
    basis, _ = torch.linalg.qr(torch.randn(dim, count, generator=generator, dtype=torch.double))
    return basis
