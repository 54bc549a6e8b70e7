"""The parts of MGFN: feature amplification, glance and focus attention, and the layer that holds them.

All of them take channels (B, C, T) and a mask (B, 1, T) that is 1 where a segment is real, and none lets padding reach
a real segment.
"""

from __future__ import annotations

import torch
from einops import rearrange
from torch import Tensor, nn


class ChannelNorm(nn.Module):
    """Layer norm over the channels at each time; divides by (standard deviation + 1e-5), as the public code does."""

    def __init__(self, dim: int) -> None:
        super().__init__()
        self.gain = nn.Parameter(torch.ones(1, dim, 1))
        self.bias = nn.Parameter(torch.zeros(1, dim, 1))

    def forward(self, x: Tensor) -> Tensor:
        variance, mean = torch.var_mean(x, dim=1, correction=0, keepdim=True)
        # A root has no slope at zero, which is what padding holds.
        spread = variance.clamp(min=1e-12).sqrt()
        return (x - mean) / (spread + 1e-5) * self.gain + self.bias


class MaskedBatchNorm(nn.BatchNorm1d):
    """Batch norm whose statistics come from real segments only; padding comes out as zero."""

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:  # type: ignore[override]
        real = mask[:, 0] > 0  # (B, T)
        rows = rearrange(x, "b c t -> b t c")[real]  # (M, C)
        normed = rearrange(torch.zeros_like(x), "b c t -> b t c").masked_scatter(
            real[..., None], super().forward(rows)
        )
        return rearrange(normed, "b t c -> b c t")


class MaskedConv(nn.Conv1d):
    """A length-preserving convolution over time that reads zeros where there is padding."""

    def __init__(self, dim_in: int, dim_out: int, kernel: int) -> None:
        super().__init__(dim_in, dim_out, kernel, padding=kernel // 2)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:  # type: ignore[override]
        return super().forward(x * mask)


class Amplification(nn.Module):
    """Feature amplification: a convolution of the features plus ``ratio`` times one of their L2 norms."""

    def __init__(self, dim_in: int, dim_out: int, *, ratio: float) -> None:
        super().__init__()
        self.features = MaskedConv(dim_in, dim_out, 3)
        self.magnitudes = MaskedConv(1, dim_out, 3)
        self.ratio = ratio

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        # vector_norm has a zero gradient at zero, so padding stays harmless in the backward pass too.
        norms = torch.linalg.vector_norm(x, dim=1, keepdim=True)  # (B, 1, T)
        return self.features(x, mask) + self.ratio * self.magnitudes(norms, mask)


class Glance(nn.Module):
    """Attention over the whole video."""

    def __init__(self, dim: int, *, head_dim: int) -> None:
        super().__init__()
        self.heads = max(1, dim // head_dim)
        inner = self.heads * head_dim
        self.norm = ChannelNorm(dim)
        self.qkv = nn.Conv1d(dim, 3 * inner, 1, bias=False)
        self.out = nn.Conv1d(inner, dim, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        query, key, value = rearrange(
            self.qkv(self.norm(x)), "b (three h c) t -> three b h t c", three=3, h=self.heads
        )
        seen = rearrange(mask > 0, "b 1 t -> b 1 1 t")
        mixed = nn.functional.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        return self.out(rearrange(mixed, "b h t c -> b (h c) t"))


class Focus(nn.Module):
    """Self-attentional convolution: one learned kernel over time per head, shared by the head's channels."""

    def __init__(self, dim: int, *, head_dim: int, kernel: int) -> None:
        super().__init__()
        self.heads = max(1, dim // head_dim)
        inner = self.heads * head_dim
        self.norm = MaskedBatchNorm(dim)
        self.value = nn.Conv1d(dim, inner, 1, bias=False)
        self.mix = nn.Conv1d(self.heads, self.heads, kernel, padding=kernel // 2, groups=self.heads)
        self.out = nn.Conv1d(inner, dim, 1)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        value = self.value(self.norm(x, mask)) * mask
        mixed = self.mix(rearrange(value, "b (c h) t -> (b c) h t", h=self.heads))
        return self.out(rearrange(mixed, "(b c) h t -> b (c h) t", b=len(x)))


class Layer(nn.Module):
    """A convolution, an attention and a feed-forward part, each added to what came in."""

    def __init__(self, dim: int, *, attention: nn.Module, expansion: int) -> None:
        super().__init__()
        self.shortcut = MaskedConv(dim, dim, 3)
        self.attention = attention
        self.feed_forward = nn.Sequential(
            ChannelNorm(dim),
            nn.Conv1d(dim, dim * expansion, 1),
            nn.GELU(),
            nn.Conv1d(dim * expansion, dim, 1),
        )

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = x + self.shortcut(x, mask)
        x = x + self.attention(x, mask)
        return x + self.feed_forward(x)


class Stage(nn.Module):
    """Several layers of one kind, after an optional change of width."""

    def __init__(self, layers: list[Layer], *, widen: nn.Module | None = None) -> None:
        super().__init__()
        self.widen = widen or nn.Identity()
        self.layers = nn.ModuleList(layers)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        x = self.widen(x)
        for layer in self.layers:
            x = layer(x, mask)
        return x
