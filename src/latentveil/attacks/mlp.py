"""The paper's privacy attack: a network d -> d, ReLU -> C, stopped early on validation."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import torch
from torch import nn

from latentveil.attacks.base import Attack, AttackerKnowledge, FittedAttack, LabelledFeatures
from latentveil.attacks.network import LEARNING_RATE, MAX_EPOCHS, Examples, NetworkTrainer, network_outputs
from latentveil.attacks.preprocess import Transform
from latentveil.attacks.selection import Logits, Setting, fit_best


@dataclass(frozen=True, kw_only=True)
class MLP(Attack):
    """Two layers, AdamW, rate divided by 5 on a plateau; preprocessing and epochs chosen on validation.

    ``hidden`` is the width of the hidden layer: that of the features, and at least 128, unless given.
    """

    about = "The paper's network of two layers, stopped early on validation."

    name: str = "mlp"
    hidden: int | None = None
    max_epochs: int = MAX_EPOCHS
    learning_rate: float = LEARNING_RATE
    preprocessings: tuple[str, ...] = ("none", "standardise", "whiten")

    def fit(self, knowledge: AttackerKnowledge, *, seed: int) -> FittedAttack:
        trainer = NetworkTrainer(
            nn.functional.cross_entropy,
            knowledge.num_classes,
            seed,
            max_epochs=self.max_epochs,
            hidden=self.hidden,
            learning_rate=self.learning_rate,
        )
        rates: dict[str, list[float]] = {}

        def candidates() -> Iterator[tuple[Setting, Logits]]:
            for name in self.preprocessings:
                transform = knowledge.train.preprocessing(name)
                examples = _examples(knowledge.train, transform), _examples(knowledge.validation, transform)
                network, rates[name] = trainer.fit(*examples)
                yield {"preprocessing": name, "epochs": len(rates[name])}, _logits(network, transform)

        def refit(setting: Setting, data: LabelledFeatures) -> Logits:
            transform = data.preprocessing(setting["preprocessing"])
            network = trainer.fit_again(_examples(data, transform), rates[setting["preprocessing"]])
            return _logits(network, transform)

        return fit_best(candidates(), knowledge, refit=refit)


attack = MLP()


def _examples(data: LabelledFeatures, transform: Transform) -> Examples:
    return torch.from_numpy(transform(data.feature)), torch.from_numpy(data.target)


def _logits(network: nn.Module, transform: Transform) -> Logits:
    return lambda feature: network_outputs(network, transform(feature))
