"""The privacy grader as the text of the SPLAVU paper has it (section 4.1): one linear layer on stills.

Its appendix B has an MLP instead: that one is `paper`. All that section 4.1 leaves out is as there.
"""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import nn

from latentveil.bench.graders.base import Attributes
from latentveil.bench.graders.paper import PaperGrader


class LinearGrader(PaperGrader):
    """d -> C; AdamW 1e-3, 100 epochs to the end, rate / 5 where the training loss stands still."""

    name: ClassVar[str] = "linear"
    about: ClassVar[str] = "one linear layer, trained as the paper's MLP, the last epoch counts"

    def network(self, train: Attributes, *, seed: int) -> nn.Module:
        with torch.random.fork_rng(devices=[]):
            torch.manual_seed(seed)
            return nn.Linear(train.feature.shape[1], train.target.shape[1])


grader = LinearGrader()
