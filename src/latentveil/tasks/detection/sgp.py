"""TriDet's backbone: scalable-granularity perception (SGP) blocks that build a pyramid over time.

All maps are (B, C, T); ``mask`` is (B, 1, T), True where a clip is real. Every map is zero where it is padded.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from einops import rearrange, reduce
from torch import Tensor, nn

from latentveil.tasks.detection.config import TriDetConfig


class ChannelNorm(nn.Module):
    """LayerNorm over the channels of each instant."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.norm = nn.LayerNorm(width)

    def forward(self, x: Tensor) -> Tensor:
        return self.norm(x.transpose(1, 2)).transpose(1, 2).contiguous()  # (B, C, T)


class MaskedGroupNorm(nn.Module):
    """GroupNorm whose statistics over channels and time leave padding out; the input must be zero there."""

    def __init__(self, num_groups: int, width: int) -> None:
        super().__init__()
        self.num_groups = num_groups
        self.weight = nn.Parameter(torch.ones(width))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        _, width, length = x.shape
        share = length / reduce(mask.to(x.dtype), "b 1 t -> b 1", "sum").clamp(
            min=1
        )  # from all to real instants
        mean = reduce(x, "b (g c) t -> b g", "mean", g=self.num_groups) * share
        square = reduce(x * x, "b (g c) t -> b g", "mean", g=self.num_groups) * share
        deviation = (square - mean**2).clamp(min=0).add(1e-5).rsqrt()
        repeats = width // self.num_groups
        scale = deviation.repeat_interleave(repeats, dim=1) * self.weight  # (B, C)
        shift = self.bias - mean.repeat_interleave(repeats, dim=1) * scale  # (B, C)
        return torch.addcmul(shift[:, :, None], x, scale[:, :, None])


class ConvNormReLU(nn.Module):
    """Convolution over time, zero where padded, then channel norm and ReLU."""

    def __init__(self, dim: int, width: int, *, kernel_size: int) -> None:
        super().__init__()
        self.conv = nn.Conv1d(dim, width, kernel_size, padding=kernel_size // 2, bias=False)
        self.norm = ChannelNorm(width)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        return F.relu(self.norm(self.conv(x))) * mask


class DepthwiseConv(nn.Conv1d):
    """A convolution of each channel by itself that keeps the length; weights start from N(0, std^2), biases at 0."""

    def __init__(self, width: int, kernel_size: int, *, std: float) -> None:
        super().__init__(width, width, kernel_size, padding=kernel_size // 2, groups=width)
        nn.init.normal_(self.weight, std=std)
        nn.init.zeros_(self.get_parameter("bias"))

    def forward(self, x: Tensor) -> Tensor:
        if self.kernel_size == (1,):  # the general routine is many times slower on this
            return torch.addcmul(self.get_parameter("bias")[:, None], x, self.weight[:, :, 0])
        return super().forward(x)


class ScaledDropPath(nn.Module):
    """A residual branch with a learned scale per channel, left out for whole samples at random in training."""

    def __init__(self, width: int, *, probability: float, scale: float) -> None:
        super().__init__()
        self.probability = probability
        self.scale = nn.Parameter(torch.full((width, 1), scale))

    def forward(self, x: Tensor) -> Tensor:
        x = x * self.scale
        if not self.training or self.probability == 0:
            return x
        kept = torch.rand(len(x), 1, 1, device=x.device, dtype=x.dtype) >= self.probability
        return x * kept / (1 - self.probability)


class SGPBlock(nn.Module):
    """One SGP block: an instant branch, a window branch and an MLP, each added to what came in.

    ``stride`` 2 halves the length first. Blocks of the stem (``scaled=False``) add their branches as they are.
    """

    def __init__(self, config: TriDetConfig, *, stride: int, scaled: bool) -> None:
        super().__init__()
        width = config.width
        self.stride = stride
        self.released_padding = config.released_padding
        self.norm = ChannelNorm(width)
        self.instant = DepthwiseConv(width, 1, std=config.branch_init_std)
        self.instant_gate = DepthwiseConv(width, 1, std=config.branch_init_std)
        self.window = DepthwiseConv(width, config.window_kernel, std=config.branch_init_std)
        self.window_wide = DepthwiseConv(width, config.wide_kernel, std=config.branch_init_std)
        self.window_gate = DepthwiseConv(width, config.window_kernel, std=config.branch_init_std)
        self.mlp_norm = MaskedGroupNorm(config.norm_groups, width)
        self.mlp = nn.Sequential(
            nn.Conv1d(width, config.mlp_width, 1), nn.GELU(), nn.Conv1d(config.mlp_width, width, 1)
        )
        nn.init.zeros_(self.mlp.get_parameter("0.bias"))
        nn.init.zeros_(self.mlp.get_parameter("2.bias"))
        self.branch_path, self.mlp_path = (
            ScaledDropPath(width, probability=config.drop_path, scale=config.branch_scale)
            if scaled
            else nn.Identity()
            for _ in range(2)
        )

    def forward(self, x: Tensor, mask: Tensor) -> tuple[Tensor, Tensor]:
        """The map (B, C, T / stride) and its mask (B, 1, T / stride)."""
        counted = torch.ones_like(mask) if self.released_padding else mask
        if self.stride > 1:
            x = F.max_pool1d(x.masked_fill(~counted, -torch.inf), 3, stride=self.stride, padding=1)
            mask, counted = mask[:, :, :: self.stride], counted[:, :, :: self.stride]
            x = x.masked_fill(~counted, 0)
        normed = self.norm(x) * counted
        mean = normed.sum(dim=2, keepdim=True) / counted.sum(dim=2, keepdim=True).clamp(min=1)  # (B, C, 1)
        instant = self.instant(normed) * F.relu(self.instant_gate(mean))
        window = self.window_gate(normed) * (self.window(normed) + self.window_wide(normed))
        x = x * mask + self.branch_path((instant + window + normed) * counted)
        x = x + self.mlp_path(self.mlp(self.mlp_norm(x, counted)) * counted)
        return x, mask


class SGPBackbone(nn.Module):
    """Embedding, stem and branch: features (B, T, D) to one normalised map per level, strides 1, 2, 4, ..."""

    def __init__(self, dim: int, config: TriDetConfig) -> None:
        super().__init__()
        self.embedding = nn.ModuleList(
            ConvNormReLU(dim if layer == 0 else config.width, config.width, kernel_size=config.kernel_size)
            for layer in range(config.embedding_layers)
        )
        self.stem = nn.ModuleList(SGPBlock(config, stride=1, scaled=False) for _ in range(config.stem_blocks))
        self.branch = nn.ModuleList(
            SGPBlock(config, stride=2, scaled=True) for _ in range(config.num_levels - 1)
        )
        self.norms = nn.ModuleList(ChannelNorm(config.width) for _ in range(config.num_levels))

    def forward(self, features: Tensor, mask: Tensor) -> tuple[list[Tensor], list[Tensor]]:
        """Maps (B, C, T / stride) and masks (B, 1, T / stride) of ``features`` (B, T, D) with ``mask`` (B, T)."""
        x, mask = rearrange(features, "b t d -> b d t"), rearrange(mask, "b t -> b 1 t")
        for layer in self.embedding:
            x = layer(x, mask)
        for block in self.stem:
            x, mask = block(x, mask)
        levels, masks = [x], [mask]
        for block in self.branch:
            x, mask = block(x, mask)
            levels.append(x)
            masks.append(mask)
        return [norm(x) * mask for norm, x, mask in zip(self.norms, levels, masks)], masks
