"""Whether a training still makes sense: pictures that show something, an f_T that sees actions, a hinge that acts."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from latentveil.errors import CollapsedTrainingError
from latentveil.pixels.learning.settings import HealthSection

SMOOTH = 0.8  # how much of the mean of L1 so far stays


class Watch(nn.Module):
    """What must be remembered from epoch to epoch, and so goes into the checkpoint."""

    epochs_at_chance: Tensor
    hinge_range: Tensor
    reconstruction: Tensor  # how far f_A was off when it last learned to give its input

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("epochs_at_chance", torch.zeros((), dtype=torch.long))
        self.register_buffer(
            "hinge_range", torch.tensor([1.0, 0.0])
        )  # lowest and highest active share so far
        self.register_buffer("reconstruction", torch.ones((), dtype=torch.float64))

    def see_reconstruction(self, loss: float, *, first: bool) -> None:
        """Remember how far f_A is off from giving its input, smoothed over steps."""
        level = loss if first else SMOOTH * float(self.reconstruction) + (1 - SMOOTH) * loss
        self.reconstruction.fill_(level)

    def see_accuracy(self, accuracy: float, *, num_actions: int, limits: HealthSection) -> None:
        """Count the epochs in a row in which f_T only guesses, and stop when they are too many."""
        guesses = accuracy <= limits.chance / num_actions
        self.epochs_at_chance.copy_(
            self.epochs_at_chance + 1 if guesses else torch.zeros_like(self.epochs_at_chance)
        )
        if self.epochs_at_chance >= limits.patience:
            raise CollapsedTrainingError(
                f"f_T must tell actions apart, got {accuracy:.0%} of {num_actions} classes right for "
                f"{int(self.epochs_at_chance)} epochs. Lower the privacy weight, or train f_T longer at the start "
                "(start.players_epochs)."
            )

    def see_hinge(self, active_share: float) -> None:
        """Remember in how many examples the penalty acts."""
        low, high = self.hinge_range.tolist()
        self.hinge_range.copy_(torch.tensor([min(low, active_share), max(high, active_share)]))

    def refuse_idle_hinge(self, bound: float) -> None:
        """Say that the penalty did nothing, or bound everything from the first to the last epoch."""
        low, high = self.hinge_range.tolist()
        if high == 0:
            raise CollapsedTrainingError(
                f"the penalty must act on some clips, got none beyond {bound:g} in any epoch: this is training without "
                "a penalty. Lower penalty.bound, or accept it with penalty.idle=tell and run again."
            )
        if low == 1:
            raise CollapsedTrainingError(
                f"the penalty must leave some clips alone, got all beyond {bound:g} in every epoch: f_A is pulled to "
                "the raw pictures. Raise penalty.bound, or accept it with penalty.idle=tell and run again."
            )


def refuse_blank(before: Tensor, after: Tensor, *, limits: HealthSection, epoch: int) -> float:
    """How much anonymized clips (B, T, 3, S, S) still differ, as a share of the raw ones; too little is refused."""
    if not torch.isfinite(after).all():
        raise CollapsedTrainingError(
            f"anonymized pictures must be finite, got NaN or infinity in epoch {epoch}. Lower the learning rates."
        )
    contrast = float(_spread(after) / _spread(before).clamp_min(1e-12))
    if contrast < limits.min_contrast:
        raise CollapsedTrainingError(
            f"anonymized pictures must show something, got {contrast:.1%} of the raw ones' spread in epoch {epoch}: "
            "they are blank. Lower the privacy weight or train.anonymizer_rate."
        )
    return contrast


def _spread(clips: Tensor) -> Tensor:
    """The standard deviation between videos, mean over pixels: 0 where all videos look the same."""
    return clips.mean(dim=1).std(dim=0).mean()
