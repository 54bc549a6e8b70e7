"""Networks of somebody else's, for the encoder "module:"."""

import torch
from torch import nn


class Tokens(nn.Module):
    """Gives tokens (B, T, D): the mean colour of each frame, mixed."""

    dim = 7
    clip_frames = 4
    frame_size = 20
    mean = (0.1, 0.2, 0.3)
    std = (0.5, 0.6, 0.7)

    def __init__(self) -> None:
        super().__init__()
        self.mix = nn.Linear(3, 7)
        self.drop = nn.Dropout(0.5)
        with torch.no_grad():
            self.mix.weight.copy_(torch.arange(21.0).reshape(7, 3) / 10)
            self.mix.bias.copy_(torch.arange(7.0))

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return self.drop(self.mix(frames.mean(dim=(3, 4)).transpose(1, 2)))


class Pooled(nn.Module):
    """Says nothing about itself, gives (B, 3)."""

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return frames.mean(dim=(2, 3, 4))


class WrongDim(Tokens):
    dim = 8


class Picky(nn.Module):
    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        raise RuntimeError(f"only 112 pixels here, not {frames.shape[-1]}")


class Grid(nn.Module):
    """Gives neither (B, D) nor (B, tokens, D)."""

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        return frames


def not_a_network() -> str:
    return "text"


not_callable = 3
