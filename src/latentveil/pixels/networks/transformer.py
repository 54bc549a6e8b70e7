"""What transformers of video share: tubelets as tokens, and a block that looks at some tokens only."""

from __future__ import annotations

import torch
from einops import rearrange
from pydantic import Field
from torch import Tensor, nn
from torch.nn.functional import scaled_dot_product_attention

from latentveil.config import Section
from latentveil.errors import InputError, UsageError


class TransformerOptions(Section):
    """The size of a clip and of its tubelets, in frames and pixels, and that of the network."""

    frames: int = Field(16, ge=1)
    size: int = Field(112, ge=1)
    tubelet_frames: int = Field(2, ge=1)
    patch: int = Field(16, ge=1)
    width: int = Field(384, ge=1)
    depth: int = Field(12, ge=1)
    heads: int = Field(6, ge=1)


class Tubelets(nn.Module):
    """Cuts clips into tubelets, one token each, and puts them together again."""

    def __init__(self, options: TransformerOptions) -> None:
        super().__init__()
        if options.frames % options.tubelet_frames or options.size % options.patch:
            raise UsageError(
                f"frames and size must be multiples of tubelet_frames and patch, got {options.frames} of "
                f"{options.tubelet_frames} and {options.size} of {options.patch}. Change either."
            )
        if options.width % options.heads:
            raise UsageError(
                f"width must be a multiple of heads, got {options.width} and {options.heads}. Change either."
            )
        self.shape = (options.frames, options.size, options.size)
        self.rows = options.frames // options.tubelet_frames
        self.places = (options.size // options.patch) ** 2  # tubelets of one row, side by side in space
        self.cut_as = {"f": options.tubelet_frames, "p": options.patch, "q": options.patch}
        pixels = options.tubelet_frames * options.patch**2 * 3
        self.embed = nn.Linear(pixels, options.width)
        self.position = nn.Parameter(torch.zeros(1, self.rows * self.places, options.width))
        nn.init.trunc_normal_(self.position, std=0.02)
        self.pixels = pixels

    def cut(self, clips: Tensor) -> Tensor:
        """Clips (B, T, 3, H, W) as tubelets (B, N, pixels), row by row in time."""
        found = (clips.shape[1], *clips.shape[-2:])
        if found != self.shape:
            raise InputError(f"clips must have {self.shape} frames, height and width, got {found}.")
        return rearrange(clips, "b (t f) c (h p) (w q) -> b (t h w) (f c p q)", **self.cut_as)

    def join(self, tubelets: Tensor) -> Tensor:
        """Tubelets (B, N, pixels) as clips (B, T, 3, H, W)."""
        side = self.shape[1] // self.cut_as["p"]
        return rearrange(
            tubelets,
            "b (t h w) (f c p q) -> b (t f) c (h p) (w q)",
            t=self.rows,
            h=side,
            w=side,
            c=3,
            **self.cut_as,
        )

    def tokens(self, tubelets: Tensor) -> Tensor:
        """Tubelets (B, N, pixels) in [0, 1] as tokens (B, N, width)."""
        return self.embed(tubelets * 2 - 1) + self.position


class Block(nn.Module):
    """Attention and a perceptron, each behind a layer norm and beside a way round."""

    def __init__(self, width: int, *, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.before_attention = nn.LayerNorm(width)
        self.queries_keys_values = nn.Linear(width, 3 * width)
        self.after_attention = nn.Linear(width, width)
        self.perceptron = nn.Sequential(
            nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.GELU(), nn.Linear(4 * width, width)
        )

    def forward(self, tokens: Tensor, kept: Tensor | None = None) -> Tensor:
        """Tokens (B, N, width); those with ``kept`` (B, N) 0 are seen by nobody but themselves.

        ``kept`` carries a gradient: a token is weighed by it, which tells what a dropped one would have given.
        """
        found = self.queries_keys_values(self.before_attention(tokens))
        queries, keys, values = rearrange(found, "b n (k h d) -> k b h n d", k=3, h=self.heads)
        if kept is None:
            mixed = scaled_dot_product_attention(queries, keys, values)
        else:
            mixed = weighted_attention(queries, keys, values, kept)
        tokens = tokens + self.after_attention(rearrange(mixed, "b h n d -> b n (h d)"))
        return tokens + self.perceptron(tokens)


def weighted_attention(queries: Tensor, keys: Tensor, values: Tensor, kept: Tensor) -> Tensor:
    """Softmax attention (B, h, N, d) in which token j counts ``kept``_j (B, N) times, and each always sees itself."""
    scores = queries @ keys.transpose(-1, -2) / queries.shape[-1] ** 0.5  # (B, h, N, N)
    itself = torch.eye(kept.shape[1], device=kept.device)
    weights = kept[:, None, :] * (1 - itself) + itself  # (B, N, N)
    powers = (scores - scores.detach().amax(dim=-1, keepdim=True)).exp() * weights[:, None]
    return powers / powers.sum(dim=-1, keepdim=True) @ values
