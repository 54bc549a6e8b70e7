"""The network of the paper's public code: attention alone."""

from __future__ import annotations

from torch import Tensor, nn

from latentveil.adapters.attention import SelfAttention, attention_network, zero


class BareBlock(nn.Module):
    """Attention added to its input and nothing else."""

    def __init__(self, dim: int, heads: int) -> None:
        super().__init__()
        self.attention = SelfAttention(dim, heads)

    def forward(self, features: Tensor, mask: Tensor) -> Tensor:
        return features + self.attention(features, mask)

    def make_identity(self) -> None:
        zero(self.attention.project_out)


network = attention_network(
    "released", BareBlock, about="Attention alone, as the public code of the paper has it."
)
