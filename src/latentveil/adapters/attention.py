"""Self-attention over clip features: the network of the paper, and what the one of the public code shares with it."""

from __future__ import annotations

from collections.abc import Callable

import torch
import torch.nn.functional as F
from einops import rearrange
from pydantic import Field
from torch import Tensor, nn

from latentveil.adapters.network import MOST_LAYERS, Network
from latentveil.config import Section
from latentveil.errors import InputError

ATTENDS = ("time", "none", "batch")


class AttentionOptions(Section):
    """How many ``layers`` and attention ``heads`` there are, and what a clip ``attends`` to."""

    layers: int = Field(3, ge=1, le=MOST_LAYERS)
    heads: int = Field(8, ge=1, le=1024)
    attends: str = "time"


class SelfAttention(nn.Module):
    """Multi-head self-attention over the second axis, (B, T, D) -> (B, T, D); padded clips are never attended to."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        if dim % heads:
            raise InputError(f"heads must divide the feature dimension {dim}, got {heads}.")
        self.heads = heads
        self.project_in = nn.Linear(dim, 3 * dim)
        self.project_out = nn.Linear(dim, dim)
        # What other processes hold of the same batch, joined along the third axis; None where this one has it all.
        self.gather: Callable[[Tensor], Tensor] | None = None

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        query, key, value = rearrange(
            self.project_in(features), "b t (three h d) -> three b h t d", three=3, h=self.heads
        )
        seen = mask[:, None, None, :]  # (B, 1, 1, T)
        if self.gather is not None:
            key, value = self.gather(key), self.gather(value)
            seen = torch.ones(1, 1, 1, key.shape[2], dtype=torch.bool, device=key.device)
        attended = F.scaled_dot_product_attention(query, key, value, attn_mask=seen)
        return self.project_out(rearrange(attended, "b h t d -> b t (h d)"))


class EncoderBlock(nn.Module):
    """Attention, then a feed-forward of width 2 D, each behind a layer norm and added to its input.

    2 D is what the parameter counts of the paper's Table 13 imply. The norms come first so that zeroed output
    projections make the block exactly the identity.
    """

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.norm_attention = nn.LayerNorm(dim)
        self.attention = SelfAttention(dim, heads)
        self.norm_feed_forward = nn.LayerNorm(dim)
        self.expand = nn.Linear(dim, 2 * dim)
        self.contract = nn.Linear(2 * dim, dim)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        features = features + self.attention(self.norm_attention(features), mask)
        return features + self.contract(F.gelu(self.expand(self.norm_feed_forward(features))))

    def make_identity(self) -> None:
        zero(self.attention.project_out)
        zero(self.contract)


class AttentionNetwork(nn.Module):
    """A stack of attention blocks, (B, T, D) -> (B, T, D).

    ``attends`` says what a clip attends to: "time", the clips of its own video; "none", itself alone, so that clips
    can be streamed; "batch", every clip of the batch, as the public code does: then somebody else's video
    changes yours, and the choice is there to reproduce that code only.
    """

    def __init__(
        self, block: Callable[[int, int], nn.Module], dim: int, *, layers: int, heads: int, attends: str
    ):
        super().__init__()
        if attends not in ATTENDS:
            raise InputError(f"attends must be one of {', '.join(ATTENDS)}, got {attends!r}.")
        self.attends = attends
        self.blocks = nn.ModuleList(block(dim, heads) for _ in range(layers))

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        if self.attends == "time":
            return self.run_blocks(features, mask)
        clips = features[mask]  # (N, D), the real clips of all videos
        axis = 0 if self.attends == "batch" else 1
        sequence = clips.unsqueeze(axis)  # "batch": (1, N, D); "none": (N, 1, D)
        everything = torch.ones(sequence.shape[:2], dtype=torch.bool, device=features.device)
        output = features.clone()
        output[mask] = self.run_blocks(sequence, everything).squeeze(axis)
        return output

    def run_blocks(self, features: Tensor, mask: Tensor) -> Tensor:
        """All blocks on sequences (B, T, D), whatever ``attends`` says."""
        for block in self.blocks:
            features = block(features, mask)
        return features

    def run_alone(self, features: Tensor, mask: Tensor) -> Tensor:
        """The clips of each video (B, T, D) attend to those of their own video at most."""
        return self(features, mask) if self.attends == "none" else self.run_blocks(features, mask)

    def run_padded(self, features: Tensor, mask: Tensor) -> Tensor:
        """All clips (B, T, D), padded ones too, without shapes that depend on ``mask`` (B, T)."""
        if self.attends == "time":
            return self.run_blocks(features, mask)
        if self.attends == "batch":
            return self.run_blocks(features.flatten(0, 1)[None], mask.flatten()[None]).view_as(features)
        clips = features.flatten(0, 1)[:, None]  # (B T, 1, D)
        everything = torch.ones_like(clips[..., 0], dtype=torch.bool)
        return self.run_blocks(clips, everything).view_as(features)

    def make_identity(self) -> None:
        """Zero every block's output projection, so that the output equals the input."""
        for block in self.blocks:
            block.make_identity()  # type: ignore[operator]  # every block has it


def zero(linear: nn.Linear) -> None:
    """Make a linear map give zero."""
    nn.init.zeros_(linear.weight)
    nn.init.zeros_(linear.bias)


def attention_network(name: str, block: Callable[[int, int], nn.Module], *, about: str) -> Network:
    """A network called ``name`` of such blocks."""
    return Network(
        name=name,
        build=lambda dim, options: AttentionNetwork(block, dim, **options.model_dump()),
        describe=lambda options: (
            f"{name}, {options.layers} layers, {options.heads} heads, attends over {options.attends}"
        ),
        about=about,
        Options=AttentionOptions,
        make_identity=AttentionNetwork.make_identity,
        run_padded=AttentionNetwork.run_padded,
        run_alone=AttentionNetwork.run_alone,
    )


network = attention_network(
    "attention", EncoderBlock, about="Attention and feed-forward blocks, as the paper has them."
)
