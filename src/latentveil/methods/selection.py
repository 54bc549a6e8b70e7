"""Which epoch's adapter is kept: the one with which a task's head did best on validation videos."""

from __future__ import annotations

import copy
import math
from typing import Any

from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.tasks.action import ActionTask
from latentveil.tasks.base import Task
from latentveil.types import TEMPORAL

EPOCHS_BETWEEN_LOOKS = 2  # as in the public code of SPLAVU, which looks at test videos


class Best:
    """The best adapter so far: its ``score``, the number of its epoch, its weights."""

    def __init__(self) -> None:
        self.score = -math.inf
        self.epoch = -1
        self.weights: dict[str, Tensor] = {}

    def offer(self, adapter: Adapter, score: float, epoch: int) -> None:
        """Keep the adapter if it is better than all before."""
        if score > self.score:
            self.score, self.epoch = score, epoch
            self.weights = copy.deepcopy(adapter.state_dict())

    def state_dict(self) -> dict[str, Any]:
        return {"score": self.score, "epoch": self.epoch, "weights": self.weights}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        self.score, self.epoch, self.weights = state["score"], state["epoch"], state["weights"]


def is_looked_at(epoch: int, epochs: int) -> bool:
    """Whether the adapter after ``epoch`` (from 0) is a candidate: every second one is, and the last."""
    return (epoch + 1) % EPOCHS_BETWEEN_LOOKS == 0 or epoch + 1 == epochs


def validation_score(adapter: Adapter, head: nn.Module, task: Task) -> float:
    """The action metric of ``head`` on the anonymized validation videos of the ``task``."""
    assert isinstance(task, ActionTask)
    clips = task.videos.features.of_kind(TEMPORAL).of_videos(task.videos.names("val"))
    safe = anonymize(adapter, clips)
    adapter.train()
    return task.on(safe).score(copy.deepcopy(head).cpu().eval(), "val", seed=0).interval.value
