"""Video transformers in the form of their authors' own checkpoints: VideoMAE, VideoMAE v2, InternVideo and V-JEPA.

One network for all: tubelets, positions, blocks with the norm in front, and what pools the tokens. Its parameters have
the names that these checkpoints use, so that loading one is a matter of prefixes. For `module:` encoders;
docs/encoders.md has the factories.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from einops import rearrange
from torch import Tensor, nn

NORM_EPSILON = 1e-6


@dataclass(frozen=True)
class TransformerShape:
    """How large a video transformer is: ``mlp`` hidden numbers, tubelets of ``tubelet`` frames and ``patch`` pixels.

    ``frames`` of ``size`` pixels are what its positions are for. ``pooling``: "mean" of the tokens with a norm behind
    it (VideoMAE), or "attention", a probe that looks at the normed tokens (V-JEPA).
    """

    dim: int
    depth: int
    heads: int
    mlp: int
    patch: int = 16
    tubelet: int = 2
    frames: int = 16
    size: int = 224
    pooling: str = "mean"

    @property
    def num_tokens(self) -> int:
        return (self.frames // self.tubelet) * (self.size // self.patch) ** 2


class VideoTransformer(nn.Module):
    """Normalised frames (B, 3, T, H, W) to features (B, D): what the checkpoint's classifier would be fed."""

    pos_embed: Tensor

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.dim, self.clip_frames, self.frame_size = shape.dim, shape.frames, shape.size
        self.patch_embed = Tubelets(shape)
        self.register_buffer("pos_embed", sinusoids(shape.num_tokens, shape.dim)[None])
        self.blocks = nn.ModuleList([Block(shape) for _ in range(shape.depth)])
        attentive = shape.pooling == "attention"
        self.norm = nn.LayerNorm(shape.dim, eps=NORM_EPSILON) if attentive else nn.Identity()
        self.pooler = AttentiveProbe(shape) if attentive else TokenMean()
        self.fc_norm = nn.Identity() if attentive else nn.LayerNorm(shape.dim, eps=NORM_EPSILON)

    def forward(self, frames: Tensor) -> Tensor:
        tokens = self.patch_embed(frames) + self.pos_embed  # (B, tokens, D)
        for block in self.blocks:
            tokens = block(tokens)
        return self.fc_norm(self.pooler(self.norm(tokens)))


class Tubelets(nn.Module):
    """Frames (B, 3, T, H, W) to tokens (B, tokens, D), in the order of time, rows and columns."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        kernel = (shape.tubelet, shape.patch, shape.patch)
        self.proj = nn.Conv3d(3, shape.dim, kernel_size=kernel, stride=kernel)

    def forward(self, frames: Tensor) -> Tensor:
        return rearrange(self.proj(frames), "b d t h w -> b (t h w) d")


class Block(nn.Module):
    """Attention, then an MLP, each behind a norm and added to its input."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(shape.dim, eps=NORM_EPSILON)
        self.attn = Attention(shape)
        self.norm2 = nn.LayerNorm(shape.dim, eps=NORM_EPSILON)
        self.mlp = Mlp(shape)

    def forward(self, tokens: Tensor) -> Tensor:
        tokens = tokens + self.attn(self.norm1(tokens))
        return tokens + self.mlp(self.norm2(tokens))


class Attention(nn.Module):
    """All tokens look at all tokens, (B, tokens, D) to the same."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.qkv = nn.Linear(shape.dim, 3 * shape.dim)
        self.proj = nn.Linear(shape.dim, shape.dim)

    def forward(self, tokens: Tensor) -> Tensor:
        query, key, value = rearrange(self.qkv(tokens), "b n (s h d) -> s b h n d", s=3, h=self.heads)
        mixed = F.scaled_dot_product_attention(query, key, value)
        return self.proj(rearrange(mixed, "b h n d -> b n (h d)"))


class Mlp(nn.Module):
    """Two layers with a GELU between them."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.fc1 = nn.Linear(shape.dim, shape.mlp)
        self.fc2 = nn.Linear(shape.mlp, shape.dim)

    def forward(self, tokens: Tensor) -> Tensor:
        return self.fc2(F.gelu(self.fc1(tokens)))


class TokenMean(nn.Module):
    """Tokens (B, tokens, D) to their mean (B, D)."""

    def forward(self, tokens: Tensor) -> Tensor:
        return tokens.mean(dim=1)


class AttentiveProbe(nn.Module):
    """V-JEPA's probe without its linear layer: one learned query looks at the tokens, (B, tokens, D) to (B, D)."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.query_tokens = nn.Parameter(torch.zeros(1, 1, shape.dim))
        self.cross_attention_block = LookingBlock(shape)

    def forward(self, tokens: Tensor) -> Tensor:
        query = self.query_tokens.expand(tokens.shape[0], -1, -1)  # len() would fix the batch of an export
        return self.cross_attention_block(query, tokens)[:, 0]


class LookingBlock(nn.Module):
    """A query looks at normed tokens, then passes an MLP, each added to it."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.norm1 = nn.LayerNorm(shape.dim)
        self.xattn = Looking(shape)
        self.norm2 = nn.LayerNorm(shape.dim)
        self.mlp = Mlp(shape)

    def forward(self, query: Tensor, tokens: Tensor) -> Tensor:
        query = query + self.xattn(query, self.norm1(tokens))
        return query + self.mlp(self.norm2(query))


class Looking(nn.Module):
    """Attention from a query (B, 1, D) to tokens (B, tokens, D)."""

    def __init__(self, shape: TransformerShape) -> None:
        super().__init__()
        self.heads = shape.heads
        self.q = nn.Linear(shape.dim, shape.dim)
        self.kv = nn.Linear(shape.dim, 2 * shape.dim)
        self.proj = nn.Linear(shape.dim, shape.dim)

    def forward(self, query: Tensor, tokens: Tensor) -> Tensor:
        asked = rearrange(self.q(query), "b n (h d) -> b h n d", h=self.heads)
        key, value = rearrange(self.kv(tokens), "b n (s h d) -> s b h n d", s=2, h=self.heads)
        found = F.scaled_dot_product_attention(asked, key, value)
        return self.proj(rearrange(found, "b h n d -> b n (h d)"))


def sinusoids(length: int, dim: int) -> Tensor:
    """VideoMAE's positions (length, dim): a sine in even places, a cosine in odd ones, slower from pair to pair."""
    place = torch.arange(length, dtype=torch.float64)[:, None]
    pair = torch.arange(dim, dtype=torch.float64)[None] // 2
    angle = place / 10000 ** (2 * pair / dim)
    even = torch.arange(dim) % 2 == 0
    return torch.where(even, angle.sin(), angle.cos()).float()
