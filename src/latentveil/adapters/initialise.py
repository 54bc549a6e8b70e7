"""Starting points for an adapter: exactly the identity, or trained to reconstruct its input."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
import torch.nn.functional as F

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.network import NETWORKS
from latentveil.errors import InputError
from latentveil.sequences import pad_sequences


def make_identity(adapter: Adapter) -> None:
    """Zero the adapter's output projections: its output equals its input until training moves it."""
    make = NETWORKS.get(adapter.architecture).make_identity
    if make is None:
        raise InputError(
            f"init must be 'reconstruct' for the architecture {adapter.architecture!r}, got 'exact'. "
            "No weights make it the identity."
        )
    make(adapter.network)


def train_reconstruction(
    adapter: Adapter,
    sequences: list[torch.Tensor],
    *,
    epochs: int = 100,
    learning_rate: float = 2e-5,
    batch_size: int = 512,
    seed: int = 0,
    report: Callable[[int, float], None] | None = None,
) -> float:
    """Train the adapter to give back clip sequences (T_i, D) under an L1 loss (paper, B.3); returns the last loss.

    Where the adapter is, it is trained.
    """
    device = adapter.noise_factor.device
    optimizer = torch.optim.AdamW(adapter.parameters(), lr=learning_rate)
    generator = torch.Generator().manual_seed(seed)
    adapter.train()
    loss = torch.tensor(torch.nan)
    for epoch in range(epochs):
        for batch in _shuffled(sequences, batch_size, generator):
            features, mask = (part.to(device) for part in pad_sequences(batch))
            loss = F.l1_loss(adapter(features, mask)[mask], features[mask])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        if report is not None:
            report(epoch, loss.item())
    return loss.item()


def _shuffled(
    sequences: list[torch.Tensor], batch_size: int, generator: torch.Generator
) -> Iterator[list[torch.Tensor]]:
    order = torch.randperm(len(sequences), generator=generator).tolist()
    for start in range(0, len(order), batch_size):
        yield [sequences[index] for index in order[start : start + batch_size]]
