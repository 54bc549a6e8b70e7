"""The privacy branch f_B: who looks at anonymized views of a video, and the loss that f_B lowers and f_A raises."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from copy import deepcopy
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from latentveil.losses.budget import nt_xent, uniform_level
from latentveil.losses.confusion import confusion
from latentveil.losses.momentum_contrast import momentum_contrast
from latentveil.pixels.learning.settings import BudgetSection
from latentveil.pixels.networks.base import IMAGE_NETWORKS, VIDEO_NETWORKS


class FrameObserver(nn.Module):
    """An image network on every frame of a view (B, T, 3, S, S), averaged over frames, with a last layer: (B, D)."""

    def __init__(self, trunk: nn.Module, last: nn.Module) -> None:
        super().__init__()
        self.trunk = trunk
        self.last = last

    def forward(self, views: Tensor) -> Tensor:
        return self.last(self.trunk(views.flatten(0, 1))).unflatten(0, views.shape[:2]).mean(dim=1)


class ClipObserver(nn.Module):
    """A video network on a view (B, T, 3, S, S), with a last layer: (B, D)."""

    def __init__(self, trunk: nn.Module, last: nn.Module) -> None:
        super().__init__()
        self.trunk = trunk
        self.last = last

    def forward(self, views: Tensor) -> Tensor:
        return self.last(self.trunk(views))


def build_observer(
    name: str, options: dict[str, Any], *, out: int, hidden: int | None, clips: bool
) -> nn.Module:
    """A network of that name with a last layer of ``out`` numbers, behind a ``hidden`` one where there is one."""
    trunk = (VIDEO_NETWORKS if clips else IMAGE_NETWORKS).get(name).make(options)
    dim: int = trunk.dim  # type: ignore[assignment]
    last: nn.Module = nn.Linear(dim, out)
    if hidden is not None:
        last = nn.Sequential(nn.Linear(dim, hidden), nn.ReLU(inplace=True), nn.Linear(hidden, out))
    return (ClipObserver if clips else FrameObserver)(trunk, last)


class PrivacyBranch(nn.Module, ABC):
    """f_B with its loss; one that does not ``look`` needs no views."""

    looks = True

    @abstractmethod
    def loss(self, first: Tensor, second: Tensor, secrets: Tensor) -> Tensor:
        """What f_B lowers, given anonymized views (B, T, 3, S, S) and the classes (B, S) of secrets: a scalar."""

    @abstractmethod
    def ceiling(self, batch_size: int) -> float:
        """The loss of whoever guesses."""

    def after_update(self) -> None:
        """What else changes when f_B has learned from the views of its last loss."""


class Contrast(PrivacyBranch):
    """NT-Xent between the two views of each video (SPAct, Eq. 5), the mean over one or two observers."""

    def __init__(self, observers: list[nn.Module], *, temperature: float) -> None:
        super().__init__()
        self.observers = nn.ModuleList(observers)
        self.temperature = temperature

    def loss(self, first: Tensor, second: Tensor, secrets: Tensor) -> Tensor:
        both = torch.cat([first, second])
        halves = [observer(both).chunk(2) for observer in self.observers]
        return torch.stack([nt_xent(*half, temperature=self.temperature) for half in halves]).mean()

    def ceiling(self, batch_size: int) -> float:
        return uniform_level(batch_size)


class Momentum(PrivacyBranch):
    """MoCo: the second view goes through a slow copy of the observer, and earlier keys are the alternatives."""

    earlier: Tensor
    place: Tensor

    def __init__(self, observer: nn.Module, settings: BudgetSection) -> None:
        super().__init__()
        self.observer = observer
        self.slow = deepcopy(observer).requires_grad_(False)
        self.momentum = settings.momentum
        self.temperature = settings.temperature
        # a generator of its own, so that weights built after this one are drawn as without a queue
        draw = torch.Generator().manual_seed(0)
        self.register_buffer("earlier", torch.randn(settings.queue, settings.projected, generator=draw))
        self.register_buffer("place", torch.zeros((), dtype=torch.long))
        self._keys = self.earlier[:0]

    def loss(self, first: Tensor, second: Tensor, secrets: Tensor) -> Tensor:
        """As of any branch; the keys of these views wait for ``after_update``, which lets them join the queue."""
        self._keys = self.slow(second).detach()
        return momentum_contrast(
            self.observer(first), self._keys, self.earlier.clone(), temperature=self.temperature
        )

    def ceiling(self, batch_size: int) -> float:
        return math.log(1 + len(self.earlier))

    @torch.no_grad()
    def after_update(self) -> None:
        for slow, fast in zip(self.slow.parameters(), self.observer.parameters()):
            slow.lerp_(fast, 1 - self.momentum)
        rows = (self.place + torch.arange(len(self._keys), device=self._keys.device)) % len(self.earlier)
        self.earlier[rows] = self._keys
        self.place.copy_((self.place + len(self._keys)) % len(self.earlier))


class Rotation(PrivacyBranch):
    """RotNet: which way up is a frame? The first view turned by 0, 90, 180 and 270 degrees."""

    def __init__(self, observer: nn.Module) -> None:
        super().__init__()
        self.observer = observer

    def loss(self, first: Tensor, second: Tensor, secrets: Tensor) -> Tensor:
        turned = torch.cat([first.rot90(turns, dims=(-2, -1)) for turns in range(4)])
        answers = torch.arange(4, device=first.device).repeat_interleave(len(first))
        return cross_entropy(self.observer(turned), answers)

    def ceiling(self, batch_size: int) -> float:
        return math.log(4)


class NoBranch(PrivacyBranch):
    """Nobody looks."""

    looks = False

    def loss(self, first: Tensor, second: Tensor, secrets: Tensor) -> Tensor:
        return first.new_zeros(())

    def ceiling(self, batch_size: int) -> float:
        return math.inf


class SecretReaders(PrivacyBranch):
    """An ensemble that reads the secrets of the first view, supervised (VITA, STPrivacy)."""

    def __init__(self, observers: list[nn.Module], *, classes: list[int]) -> None:
        super().__init__()
        self.observers = nn.ModuleList(observers)
        self.classes = classes

    def logits(self, views: Tensor) -> list[list[Tensor]]:
        """What each observer says of each secret, (B, C) each."""
        return [list(observer(views).split(self.classes, dim=-1)) for observer in self.observers]

    def loss(self, first: Tensor, second: Tensor, secrets: Tensor) -> Tensor:
        told = [
            torch.stack([cross_entropy(said, truth) for said, truth in zip(observer, secrets.T)]).mean()
            for observer in self.logits(first)
        ]
        return torch.stack(told).mean()

    def confusion(self, views: Tensor) -> Tensor:
        """How far the most certain observer is from knowing nothing, mean over views: a scalar to be lowered."""
        return confusion(self.logits(views))

    def ceiling(self, batch_size: int) -> float:
        return sum(map(math.log, self.classes)) / len(self.classes)


def build_readers(
    networks: Sequence[tuple[str, dict[str, Any]]], *, classes: list[int], clips: bool
) -> SecretReaders:
    """A reader of all secrets for each (name, options) of ``networks``; ``classes`` has the number of each secret's."""
    observers = [build_observer(*network, out=sum(classes), hidden=None, clips=clips) for network in networks]
    return SecretReaders(observers, classes=classes)


def build_branch(settings: BudgetSection) -> PrivacyBranch:
    """The self-supervised branch that the settings describe."""
    if settings.branch == "none":
        return NoBranch()
    clips = settings.branch == "spatio-temporal"
    out = 4 if settings.loss == "rotnet" else settings.projected
    hidden = None if settings.loss == "rotnet" else settings.hidden
    networks = [(settings.architecture, settings.options)]
    if settings.also is not None:
        networks.append((settings.also, settings.also_options))
    observers = [build_observer(*network, out=out, hidden=hidden, clips=clips) for network in networks]
    if settings.loss == "moco":
        return Momentum(observers[0], settings)
    if settings.loss == "rotnet":
        return Rotation(observers[0])
    return Contrast(observers, temperature=settings.temperature)
