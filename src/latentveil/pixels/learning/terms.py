"""The terms of what a player minimises, each a small object: named losses with their weights, of anonymized clips.

A term with weight 0 is only logged.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy

from latentveil.losses.penalty import rms_hinge
from latentveil.losses.triplet import temporal_triplet
from latentveil.pixels.learning.feed import Step
from latentveil.pixels.learning.observers import SecretReaders
from latentveil.pixels.learning.players import Players
from latentveil.pixels.networks.tubelet_dropper import TubeletDropper

IMAGENET_STD = (0.229, 0.224, 0.225)


@dataclass(frozen=True)
class Seen:
    """A step behind f_A: its clips, and its views for f_B where anyone looks."""

    clips: Tensor
    first: Tensor
    second: Tensor
    same_time: Tensor | None = None
    other_time: Tensor | None = None


def look_through(anonymizer: nn.Module, step: Step, *, private: bool) -> Seen:
    """What f_A makes of a step; without ``private`` the views for f_B stay as they are, nobody looks at them."""
    clips = anonymizer(step.clips)
    first, second = step.first, step.second
    if private:
        first, second = anonymizer(torch.cat([first, second])).chunk(2)
    same, other = (None if clip is None else anonymizer(clip) for clip in (step.same_time, step.other_time))
    return Seen(clips=clips, first=first, second=second, same_time=same, other_time=other)


Weighted = dict[str, tuple[float, Tensor]]


class Term(Protocol):
    """Named losses, scalars, with their weights."""

    def __call__(self, players: Players, step: Step, seen: Seen) -> Weighted: ...


class OwnTerm(Protocol):
    """Named losses of f_A alone, whatever it made, with their weights."""

    def __call__(self, anonymizer: nn.Module) -> Weighted: ...


def weighted_sum(terms: Weighted) -> Tensor:
    """What is minimised."""
    return torch.stack([weight * term for weight, term in terms.values() if weight]).sum()


def gather(terms: Sequence[Term], players: Players, step: Step, seen: Seen) -> Weighted:
    """All terms by name."""
    return {name: pair for term in terms for name, pair in term(players, step, seen).items()}


def gather_own(terms: Sequence[OwnTerm], anonymizer: nn.Module) -> Weighted:
    """All terms of f_A alone by name."""
    return {name: pair for term in terms for name, pair in term(anonymizer).items()}


@dataclass(frozen=True)
class Action:
    """L_T: the cross-entropy of f_T on anonymized clips; the share that is right is logged."""

    weight: float = 1.0

    def __call__(self, players: Players, step: Step, seen: Seen) -> Weighted:
        logits = players.task(seen.clips)
        right = (logits.detach().argmax(dim=-1) == step.actions).float().mean()
        return {"task": (self.weight, cross_entropy(logits, step.actions)), "accuracy": (0.0, right)}


@dataclass(frozen=True)
class Triplet:
    """TeD-SPAD: two views of one moment are to be closer than another moment of the video."""

    weight: float
    margin: float = 1.0

    def __call__(self, players: Players, step: Step, seen: Seen) -> Weighted:
        assert seen.same_time is not None
        assert seen.other_time is not None
        rows = [players.task.project(clips) for clips in (seen.clips, seen.same_time, seen.other_time)]
        return {"triplet": (self.weight, temporal_triplet(rows[0], rows[1], rows[2], margin=self.margin))}


@dataclass(frozen=True)
class Budget:
    """L_B, which f_A raises: the weight counts as negative."""

    weight: float

    def __call__(self, players: Players, step: Step, seen: Seen) -> Weighted:
        if not players.budget.looks:
            return {}
        return {"budget": (-self.weight, players.budget.loss(seen.first, seen.second, step.secrets))}


@dataclass(frozen=True)
class Confusion:
    """VITA: the most certain of the observers is led towards knowing nothing."""

    weight: float

    def __call__(self, players: Players, step: Step, seen: Seen) -> Weighted:
        assert isinstance(players.budget, SecretReaders)
        return {"confusion": (self.weight, players.budget.confusion(seen.first))}


@dataclass(frozen=True)
class Penalty:
    """The penalty-driven hinge on the clips of actions; never on the views for f_B, which f_A may change at will.

    ``space``: pixel compares pictures (Eq. 4), feature what f_T sees in them. ``scale``: unit for pixels in [0, 1],
    imagenet for pixels divided by the usual standard deviations.
    """

    weight: float
    bound: float
    space: Literal["pixel", "feature"] = "pixel"
    scale: Literal["unit", "imagenet"] = "unit"

    def __call__(self, players: Players, step: Step, seen: Seen) -> Weighted:
        before, after = step.clips, seen.clips
        if self.space == "feature":
            with torch.no_grad():
                before = players.task.features(step.clips)
            after = players.task.features(seen.clips)
        elif self.scale == "imagenet":
            spread = torch.tensor(IMAGENET_STD, device=before.device).view(3, 1, 1)
            before, after = before / spread, after / spread
        hinge = rms_hinge(before, after, bound=self.bound)
        return {
            "penalty": (self.weight, hinge.loss),
            "hinge_active": (0.0, torch.tensor(hinge.active_share)),
        }


@dataclass(frozen=True)
class TubeletShares:
    """STPrivacy: each predictor is to keep its share of the tubelets, of clips and of views; squared error."""

    weight: float

    def __call__(self, anonymizer: nn.Module) -> Weighted:
        droppers = [part for part in anonymizer.modules() if isinstance(part, TubeletDropper)]
        error = droppers[0].take_share_error() if droppers else None
        return {} if error is None else {"tubelets": (self.weight, error)}
