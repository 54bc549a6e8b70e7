"""Who moves a head's weights: an optimizer, and what a recipe adds to it."""

from __future__ import annotations

from typing import Any

from torch import nn
from torch.optim import Optimizer
from torch.optim.lr_scheduler import LRScheduler
from torch.optim.swa_utils import AveragedModel, get_ema_multi_avg_fn


class HeadLearner:
    """Takes steps of ``head``: gradients clipped to a norm, a schedule of the rate, a moving average of the weights.

    Each of the three is left out where it is None. After a step the averaged head is ``averaged``.
    """

    def __init__(
        self,
        head: nn.Module,
        optimizer: Optimizer,
        *,
        gradient_clip: float | None = None,
        schedule: LRScheduler | None = None,
        ema_decay: float | None = None,
    ) -> None:
        self.head = head
        self.optimizer = optimizer
        self.gradient_clip = gradient_clip
        self.schedule = schedule
        self.average = (
            None if ema_decay is None else AveragedModel(head, multi_avg_fn=get_ema_multi_avg_fn(ema_decay))
        )

    @property
    def averaged(self) -> nn.Module:
        """The head with averaged weights, or the head itself where none are kept."""
        return self.head if self.average is None else self.average.module

    def zero_grad(self) -> None:
        self.optimizer.zero_grad()

    def step(self) -> None:
        """Move the weights along the gradients they have."""
        if self.gradient_clip is not None:
            nn.utils.clip_grad_norm_(self.head.parameters(), self.gradient_clip)
        self.optimizer.step()
        if self.schedule is not None:
            self.schedule.step()
        if self.average is not None:
            self.average.update_parameters(self.head)

    def state_dict(self) -> dict[str, Any]:
        """What a checkpoint needs besides the head's weights."""
        parts = {"optimizer": self.optimizer, "schedule": self.schedule, "average": self.average}
        return {name: part.state_dict() for name, part in parts.items() if part is not None}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.optimizer.load_state_dict(state["optimizer"])
        if self.schedule is not None:
            self.schedule.load_state_dict(state["schedule"])
        if self.average is not None:
            self.average.load_state_dict(state["average"])
