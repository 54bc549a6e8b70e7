"""What the closed-form methods share: an affine adapter from a map and noise, and simple statistics of features."""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.affine import AffineNetwork
from latentveil.types import FeatureSet

BLOCK_ROWS = 4096  # in double precision at a time


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
    """The features (N, D) in double precision, which takes twice their memory."""
    return torch.as_tensor(features.feature).double()


def rows_of(features: FeatureSet) -> Tensor:
    """The features (N, D) as they are, not copied; ``in_blocks`` gives them in double precision."""
    return torch.as_tensor(features.feature)


def in_blocks(features: Tensor) -> Iterator[Tensor]:
    """Rows (n, D) after rows of ``features`` (N, D) in double precision, never all of them at once."""
    return (block.double() for block in features.split(BLOCK_ROWS))


def mean_of(features: Tensor) -> Tensor:
    """The mean (D,) of ``features`` (N, D), summed up in double precision."""
    return torch.stack([block.sum(dim=0) for block in in_blocks(features)]).sum(dim=0) / len(features)


def covariance_of(features: Tensor) -> Tensor:
    """The covariance (D, D) of ``features`` (N, D), summed up block by block around their mean."""
    mean = mean_of(features)
    total = torch.zeros(len(mean), len(mean), dtype=torch.double)
    for block in in_blocks(features):
        centred = block - mean
        total.addmm_(centred.T, centred)
    return total / max(1, len(features) - 1)


def scale_of(features: Tensor) -> float:
    """The typical spread of one dimension of ``features`` (N, D): root of the mean variance."""
    mean = mean_of(features)
    squares = sum(float((block - mean).square().sum()) for block in in_blocks(features))
    return (squares / features.shape[1] / max(1, len(features) - 1)) ** 0.5


def principal_axes(features: Tensor, count: int) -> Tensor:
    """The ``count`` directions (D, k) in which ``features`` (N, D) vary most, k at most min(N - 1, D)."""
    _, axes = torch.linalg.eigh(covariance_of(features))  # ascending
    return axes.flip(1)[:, : min(count, len(features) - 1)]


def random_basis(dim: int, count: int, *, seed: int) -> Tensor:
    """``count`` orthonormal directions (D, count) at random, which leave no single dimension idle."""
    generator = torch.Generator().manual_seed(seed)
    basis, _ = torch.linalg.qr(torch.randn(dim, count, generator=generator, dtype=torch.double))
    return basis
