"""The processes that `torchrun` starts for one training: each does its share of every batch, all keep the same weights.

Every process draws the whole batch from the same seed, passes its share of the videos through the adapter, and gets
the outputs of all. Losses are then those of the whole batch on every process, negatives of other processes included,
and so one process and several train alike.
"""

from __future__ import annotations

import atexit
import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import torch
import torch.distributed as dist
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.attention import AttentionNetwork, SelfAttention
from latentveil.errors import InputError, UsageError
from latentveil.machine.processes import num_processes

PATIENCE = timedelta(hours=6)  # while the first process prepares heads, the others wait


class Ranks:
    """The processes of this training: there are ``count``, and this one is ``number``."""

    def __init__(self, count: int = 1, number: int = 0) -> None:
        self.count = count
        self.number = number

    @classmethod
    def join(cls, device: str) -> Ranks:
        """Meet the other processes of `torchrun`, if there are any."""
        if num_processes() == 1:
            return cls()
        if not dist.is_initialized():
            on_gpu = device.startswith("cuda")
            if on_gpu:
                torch.cuda.set_device(int(os.environ["LOCAL_RANK"]))
            dist.init_process_group("nccl" if on_gpu else "gloo", timeout=PATIENCE)
            atexit.register(dist.destroy_process_group)
        return cls(dist.get_world_size(), dist.get_rank())

    @property
    def first(self) -> bool:
        return self.number == 0

    def anonymized(
        self, adapter: Adapter, features: Tensor, mask: Tensor | None = None, *, alone: bool = False
    ) -> Tensor:
        """The adapter's outputs for all of ``features`` (B, T, D), of which this process computes its share."""
        if self.count == 1:
            return adapter(features, mask, alone=alone)
        if mask is None:
            mask = torch.ones(features.shape[:2], dtype=torch.bool, device=features.device)
        share = slice(*(len(features) * number // self.count for number in (self.number, self.number + 1)))
        with self._seeing_all(adapter, alone=alone):
            return self.gather(adapter(features[share], mask[share], alone=alone))

    def gather(self, part: Tensor, axis: int = 0) -> Tensor:
        """The parts of all processes, joined along ``axis``; gradients go back to the process they belong to."""
        return part if self.count == 1 else _Gather.apply(part, axis, self)

    def average_gradients(self, parameters: Iterable[nn.Parameter]) -> None:
        """Replace every gradient by its mean over the processes."""
        if self.count == 1:
            return
        gradients = [value.grad for value in parameters if value.grad is not None]
        if not gradients:
            return
        flat = torch.cat([gradient.flatten() for gradient in gradients])
        dist.all_reduce(flat)
        parts = (flat / self.count).split([gradient.numel() for gradient in gradients])
        for gradient, part in zip(gradients, parts):
            gradient.copy_(part.view_as(gradient))

    def spread(self, *modules: nn.Module) -> None:
        """Give every process the first one's weights and buffers."""
        if self.count > 1:
            for module in modules:
                for value in module.state_dict().values():
                    dist.broadcast(value, src=0)

    def require_same(self, number: int, *, what: str, device: str) -> None:
        """Refuse to go on where the processes do not agree on a number."""
        if self.count == 1:
            return
        extremes = torch.tensor([number, -number], device=device)
        dist.all_reduce(extremes, op=dist.ReduceOp.MAX)
        if extremes[0] != -extremes[1]:
            raise InputError(
                f"{what} must be the same for all processes, got {int(-extremes[1])} to {int(extremes[0])}. "
                "Give an output folder that all of them see."
            )

    def wait(self) -> None:
        """Until every process is here."""
        if self.count > 1:
            dist.barrier()

    def require_shareable(self, adapter: Adapter) -> None:
        """Refuse a network whose training depends on how a batch is shared out."""
        kinds = (nn.modules.batchnorm._BatchNorm, nn.modules.dropout._DropoutNd)
        if self.count > 1 and any(isinstance(module, kinds) for module in adapter.modules()):
            raise UsageError(
                f"adapter.architecture must be one without batch norm and dropout under torchrun, "
                f"got {adapter.architecture!r}. Train it with one process."
            )

    @contextmanager
    def _seeing_all(self, adapter: Adapter, *, alone: bool) -> Iterator[None]:
        """Let clips attend to those that other processes hold, where the adapter attends over the batch."""
        network = adapter.network
        over_batch = isinstance(network, AttentionNetwork) and network.attends == "batch" and not alone
        layers = [module for module in network.modules() if over_batch and isinstance(module, SelfAttention)]
        gather: Callable[[Tensor], Tensor] = lambda part: self.gather(part, axis=2)  # noqa: E731
        for layer in layers:
            layer.gather = gather
        try:
            yield
        finally:
            for layer in layers:
                layer.gather = None


class _Gather(torch.autograd.Function):
    """All processes' parts; backwards, the sum over processes of the gradients of one's own part.

    Each process computes the loss of the whole batch, so that the mean of gradients over processes is the gradient.
    """

    @staticmethod
    def forward(ctx: Any, part: Tensor, axis: int, ranks: Ranks) -> Tensor:
        size = torch.tensor([part.shape[axis]], device=part.device)
        found = [torch.empty_like(size) for _ in range(ranks.count)]
        dist.all_gather(found, size)
        sizes = [int(value) for value in found]
        ctx.place = sum(sizes[: ranks.number]), sizes[ranks.number], axis
        padded = part.new_zeros(*part.shape[:axis], max(sizes), *part.shape[axis + 1 :])
        padded.narrow(axis, 0, part.shape[axis]).copy_(part)
        parts = [torch.empty_like(padded) for _ in range(ranks.count)]
        dist.all_gather(parts, padded)
        return torch.cat([value.narrow(axis, 0, number) for value, number in zip(parts, sizes)], dim=axis)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        start, length, axis = ctx.place
        total = gradients[0].clone(memory_format=torch.contiguous_format)
        dist.all_reduce(total)
        return total.narrow(axis, start, length).contiguous(), None, None
