"""Starting points for an adapter: exactly the identity, or trained to reconstruct its input."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Literal

import torch
import torch.nn.functional as F
from torch import Tensor

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.network import NETWORKS
from latentveil.errors import InputError, UsageError
from latentveil.notices import notify
from latentveil.sequences import pad_sequences

STEPS_BETWEEN_CHECKS = 250


@dataclass(frozen=True)
class Reconstruction:
    """How an adapter learns to give its input back.

    It trains for ``epochs`` and for at least ``min_steps``, then goes on until the mean absolute error is at most
    ``tolerance`` of the mean absolute deviation of the features, or until ``max_steps``. A network that no weights make
    the identity does not go on.
    """

    loss: Literal["l1", "mse"]
    epochs: int
    learning_rate: float
    batch_size: int
    min_steps: int = 1000  # what 500 epochs of HMDB51 in batches of 2048 are
    max_steps: int = 20_000
    tolerance: float = 0.05


RECONSTRUCTIONS = {
    "reconstruct": Reconstruction("l1", epochs=100, learning_rate=2e-5, batch_size=512),  # paper, B.3
    "reconstruct_mse": Reconstruction("mse", epochs=500, learning_rate=1e-4, batch_size=2048),  # public code
}


def make_identity(adapter: Adapter) -> None:
    """Zero the adapter's output projections: its output equals its input until training moves it."""
    make = NETWORKS.get(adapter.architecture).make_identity
    if make is None:
        raise UsageError(
            f"init must be 'reconstruct' for the architecture {adapter.architecture!r}, got 'exact'. "
            "No weights make it the identity."
        )
    make(adapter.network)


def train_reconstruction(
    adapter: Adapter,
    sequences: list[Tensor],
    recipe: Reconstruction,
    *,
    seed: int = 0,
    report: Callable[[int, float], None] | None = None,
) -> float:
    """Train the adapter to give back clip sequences (T_i, D); returns the share of their deviation that it misses.

    Where the adapter is, it is trained. One that could be the identity and is not near it is refused; of another
    network (``mlp``), how near it came is told.
    """
    optimizer = torch.optim.AdamW(adapter.parameters(), lr=recipe.learning_rate)
    generator = torch.Generator().manual_seed(seed)
    loss_of = {"l1": F.l1_loss, "mse": F.mse_loss}[recipe.loss]
    epoch_steps = math.ceil(len(sequences) / recipe.batch_size)
    at_least = max(recipe.min_steps, recipe.epochs * epoch_steps)
    at_most = recipe.max_steps if _can_be_identity(adapter) else at_least
    missed = math.inf
    for step, batch in enumerate(_endless(sequences, recipe.batch_size, generator)):
        if step >= at_least and ((step - at_least) % STEPS_BETWEEN_CHECKS == 0 or step >= at_most):
            missed = missed_share(adapter, sequences, batch_size=recipe.batch_size)
            if missed <= recipe.tolerance or step >= at_most:
                break
        adapter.train()
        features, mask = _padded(batch, adapter)
        loss = loss_of(adapter(features, mask)[mask], features[mask])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if report is not None:
            report(step, loss.item())
    _require_identity(adapter, missed, steps=step, recipe=recipe)
    return missed


@torch.no_grad()
def missed_share(adapter: Adapter, sequences: list[Tensor], *, batch_size: int = 512) -> float:
    """The mean absolute error of the adapter's outputs, over the mean absolute deviation of clips (T_i, D)."""
    adapter.eval()
    mean = torch.cat(sequences).mean(dim=0).to(adapter.noise_factor.device)
    error = deviation = 0.0
    for start in range(0, len(sequences), batch_size):
        features, mask = _padded(sequences[start : start + batch_size], adapter)
        error += float((adapter(features, mask) - features)[mask].abs().sum())
        deviation += float((features - mean)[mask].abs().sum())
    return error / max(deviation, 1e-30)


def _require_identity(adapter: Adapter, missed: float, *, steps: int, recipe: Reconstruction) -> None:
    if missed <= recipe.tolerance:
        return
    told = (
        f"after {steps} steps of reconstruction its outputs miss {missed:.0%} of the features' deviation "
        f"(adapter.reconstruct_tolerance is {recipe.tolerance:.0%})"
    )
    if not _can_be_identity(adapter):
        notify(f"The adapter does not start as the identity: {told}. No weights make it so.")
        return
    raise InputError(
        f"the adapter must start as the identity, got one that is not: {told}. "
        "Raise adapter.reconstruct_max_steps or adapter.reconstruct_learning_rate, or set adapter.init=exact."
    )


def _can_be_identity(adapter: Adapter) -> bool:
    return NETWORKS.get(adapter.architecture).make_identity is not None


def _padded(sequences: list[Tensor], adapter: Adapter) -> tuple[Tensor, Tensor]:
    features, mask = pad_sequences(sequences)
    return features.to(adapter.noise_factor.device), mask.to(adapter.noise_factor.device)


def _endless(sequences: list[Tensor], batch_size: int, generator: torch.Generator) -> Iterator[list[Tensor]]:
    """Batches of shuffled sequences, epoch after epoch."""
    while True:
        order = torch.randperm(len(sequences), generator=generator).tolist()
        for start in range(0, len(order), batch_size):
            yield [sequences[index] for index in order[start : start + batch_size]]
