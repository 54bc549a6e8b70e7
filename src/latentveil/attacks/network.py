"""A small network d -> d, ReLU -> outputs, and its training until validation stops improving."""

from __future__ import annotations

import copy
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from latentveil.errors import InputError

LEARNING_RATE = 1e-3
MAX_EPOCHS = 100
# Epochs without a validation loss better by 1 % until the rate is divided by 5, and until training ends.
PLATEAU_EPOCHS, PATIENCE_EPOCHS, LEAST_GAIN = 3, 7, 0.01
# A validation loss below this (98 % probability of the right answer, 98 % of the variance) cannot improve the answer.
SOLVED_LOSS = 0.02
# The hidden layer is as wide as the features, which for a few dimensions would be too narrow to learn.
MIN_WIDTH = 128
# Small sets need small batches to make enough steps in an epoch, large ones large batches to be quick.
MIN_BATCH, MAX_BATCH, STEPS_PER_EPOCH = 32, 256, 4

Examples = tuple[Tensor, Tensor]


@dataclass(frozen=True)
class NetworkTrainer:
    """How to train: the loss of (outputs, targets), the number of outputs, the seed and the longest training.

    ``hidden`` is the width of the hidden layer, that of the inputs where None.
    """

    loss: Callable[[Tensor, Tensor], Tensor]
    num_outputs: int
    seed: int
    max_epochs: int = MAX_EPOCHS
    hidden: int | None = None
    learning_rate: float = LEARNING_RATE

    def __post_init__(self) -> None:
        for name in ("max_epochs", "hidden"):
            value = getattr(self, name)
            if value is not None and value < 1:
                raise InputError(f"{name} of a network must be at least 1, got {value}.")

    def fit(self, train: Examples, validation: Examples) -> tuple[nn.Module, list[float]]:
        """The network of the epoch with the least validation loss, and the learning rates of the epochs up to it."""
        best_loss, best_state, best_epoch = float("inf"), None, 0
        rates, rate, last_gain, last_change = [], self.learning_rate, 0, 0
        with torch.random.fork_rng(devices=[]):
            network, optimizer = self._start(train)
            for epoch in range(1, self.max_epochs + 1):
                rates.append(rate)
                self._run_epoch(network, optimizer, train, rate=rate)
                with torch.no_grad():
                    loss = float(self.loss(network(validation[0]), validation[1]))
                if loss < best_loss * (1 - LEAST_GAIN):
                    last_gain = epoch
                if loss < best_loss:
                    best_loss, best_state, best_epoch = loss, copy.deepcopy(network.state_dict()), epoch
                if best_loss < SOLVED_LOSS or epoch - last_gain >= PATIENCE_EPOCHS:
                    break
                if epoch - max(last_gain, last_change) >= PLATEAU_EPOCHS:
                    rate, last_change = rate / 5, epoch
        assert best_state is not None, "the validation loss must be finite"
        network.load_state_dict(best_state)
        return network, rates[:best_epoch]

    def fit_again(self, train: Examples, rates: list[float]) -> nn.Module:
        """A fresh network trained for one epoch at each of ``rates``."""
        with torch.random.fork_rng(devices=[]):
            network, optimizer = self._start(train)
            for rate in rates:
                self._run_epoch(network, optimizer, train, rate=rate)
        return network

    def _start(self, train: Examples) -> tuple[nn.Module, torch.optim.Optimizer]:
        torch.manual_seed(self.seed)
        dim = train[0].shape[1]
        width = max(dim, MIN_WIDTH) if self.hidden is None else self.hidden
        network = nn.Sequential(nn.Linear(dim, width), nn.ReLU(), nn.Linear(width, self.num_outputs))
        return network, torch.optim.AdamW(network.parameters(), lr=self.learning_rate, fused=True)

    def _run_epoch(
        self, network: nn.Module, optimizer: torch.optim.Optimizer, train: Examples, *, rate: float
    ) -> None:
        inputs, targets = train
        batch_size = int(np.clip(len(inputs) // STEPS_PER_EPOCH, MIN_BATCH, MAX_BATCH))
        for group in optimizer.param_groups:
            group["lr"] = rate
        for rows in torch.randperm(len(inputs)).split(batch_size):
            optimizer.zero_grad()
            self.loss(network(inputs[rows]), targets[rows]).backward()
            optimizer.step()


def network_outputs(network: nn.Module, feature: np.ndarray) -> np.ndarray:
    """The outputs (N, C) for features (N, D), as numpy arrays."""
    with torch.no_grad():
        return network(torch.from_numpy(feature)).numpy()
