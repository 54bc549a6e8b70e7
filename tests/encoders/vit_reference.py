"""Video transformers as plain functions over weights with published names, and small random checkpoints of them."""

from __future__ import annotations

import math
from pathlib import Path

import torch
import torch.nn.functional as F

DIM, DEPTH, HEADS, MLP, PATCH, FRAMES, SIZE = 24, 2, 3, 48, 8, 4, 16
TOKENS = (FRAMES // 2) * (SIZE // PATCH) ** 2


def random_block(name: str, draw, *, bias: str) -> dict[str, torch.Tensor]:
    """The weights of one block under its published names; ``bias`` of attention is joint or of queries and values."""
    weights = {}
    for norm in ("norm1", "norm2"):
        weights |= {f"{name}.{norm}.weight": 1 + draw(DIM), f"{name}.{norm}.bias": draw(DIM)}
    weights |= {f"{name}.attn.qkv.weight": draw(3 * DIM, DIM), f"{name}.attn.proj.weight": draw(DIM, DIM)}
    weights |= {f"{name}.attn.proj.bias": draw(DIM)}
    if bias == "joint":
        weights[f"{name}.attn.qkv.bias"] = draw(3 * DIM)
    else:
        weights |= {f"{name}.attn.q_bias": draw(DIM), f"{name}.attn.v_bias": draw(DIM)}
    return weights | random_mlp(f"{name}.mlp", draw)


def random_mlp(name: str, draw) -> dict[str, torch.Tensor]:
    return {
        f"{name}.fc1.weight": draw(MLP, DIM),
        f"{name}.fc1.bias": draw(MLP),
        f"{name}.fc2.weight": draw(DIM, MLP),
        f"{name}.fc2.bias": draw(DIM),
    }


def random_transformer(*, bias: str, seed: int = 0) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return 0.2 * torch.randn(shape, generator=generator)

    weights = {"patch_embed.proj.weight": draw(DIM, 3, 2, PATCH, PATCH), "patch_embed.proj.bias": draw(DIM)}
    for number in range(DEPTH):
        weights |= random_block(f"blocks.{number}", draw, bias=bias)
    if bias == "joint":  # V-JEPA: positions and a last norm are in the file
        weights |= {"pos_embed": draw(1, TOKENS, DIM), "norm.weight": 1 + draw(DIM), "norm.bias": draw(DIM)}
    else:  # VideoMAE: a norm behind the mean, and the classifier
        weights |= {"fc_norm.weight": 1 + draw(DIM), "fc_norm.bias": draw(DIM)}
        weights |= {"head.weight": draw(5, DIM), "head.bias": draw(5)}
    return weights


def random_probe(seed: int = 1) -> dict[str, torch.Tensor]:
    generator = torch.Generator().manual_seed(seed)

    def draw(*shape: int) -> torch.Tensor:
        return 0.2 * torch.randn(shape, generator=generator)

    block = "pooler.cross_attention_block"
    weights = {"pooler.query_tokens": draw(1, 1, DIM), "linear.weight": draw(5, DIM), "linear.bias": draw(5)}
    for norm in ("norm1", "norm2"):
        weights |= {f"{block}.{norm}.weight": 1 + draw(DIM), f"{block}.{norm}.bias": draw(DIM)}
    for layer, out in (("q", DIM), ("kv", 2 * DIM), ("proj", DIM)):
        weights |= {f"{block}.xattn.{layer}.weight": draw(out, DIM), f"{block}.xattn.{layer}.bias": draw(out)}
    return weights | random_mlp(f"{block}.mlp", draw)


def attend(query: torch.Tensor, key: torch.Tensor, value: torch.Tensor) -> torch.Tensor:
    """One head after the other, (N, D) each."""
    width = DIM // HEADS
    parts = []
    for head in range(HEADS):
        columns = slice(head * width, (head + 1) * width)
        scores = query[:, columns] @ key[:, columns].T / math.sqrt(width)
        parts.append(scores.softmax(dim=1) @ value[:, columns])
    return torch.cat(parts, dim=1)


def mlp(weights, name: str, x: torch.Tensor) -> torch.Tensor:
    hidden = F.gelu(x @ weights[f"{name}.fc1.weight"].T + weights[f"{name}.fc1.bias"])
    return hidden @ weights[f"{name}.fc2.weight"].T + weights[f"{name}.fc2.bias"]


def norm(weights, name: str, x: torch.Tensor, eps: float = 1e-6) -> torch.Tensor:
    return F.layer_norm(x, (DIM,), weights[f"{name}.weight"], weights[f"{name}.bias"], eps)


def tokens_of(weights, clip: torch.Tensor, positions: torch.Tensor) -> torch.Tensor:
    """The tokens (N, D) of one clip (3, T, H, W) behind all blocks, patch by patch in time, rows and columns."""
    rows = []
    for t in range(FRAMES // 2):
        for y in range(SIZE // PATCH):
            for x in range(SIZE // PATCH):
                places = (
                    slice(2 * t, 2 * t + 2),
                    slice(PATCH * y, PATCH * (y + 1)),
                    slice(PATCH * x, PATCH * (x + 1)),
                )
                piece = clip[(slice(None), *places)]
                rows.append((weights["patch_embed.proj.weight"] * piece).sum(dim=(1, 2, 3, 4)))
    found = torch.stack(rows) + weights["patch_embed.proj.bias"] + positions
    for number in range(DEPTH):
        name = f"blocks.{number}"
        bias = weights.get(f"{name}.attn.qkv.bias")
        if bias is None:  # keys have none
            q, v = (weights[f"{name}.attn.{part}_bias"] for part in "qv")
            bias = torch.cat([q, torch.zeros(DIM), v])
        normed = norm(weights, f"{name}.norm1", found)
        query, key, value = (normed @ weights[f"{name}.attn.qkv.weight"].T + bias).split(DIM, dim=1)
        mixed = attend(query, key, value)
        found = found + mixed @ weights[f"{name}.attn.proj.weight"].T + weights[f"{name}.attn.proj.bias"]
        found = found + mlp(weights, f"{name}.mlp", norm(weights, f"{name}.norm2", found))
    return found


def save_videomae_checkpoint(path: Path) -> Path:
    """A file as the authors of VideoMAE and InternVideo write it."""
    torch.save({"module": random_transformer(bias="of queries and values"), "epoch": 3}, path)
    return path


def save_vjepa_checkpoints(folder: Path) -> tuple[Path, Path]:
    """The files of an encoder and of its probe as the authors of V-JEPA write them."""
    encoder, probe = folder / "vith16.pth.tar", folder / "k400-probe.pth.tar"
    weights = {f"module.backbone.{name}": value for name, value in random_transformer(bias="joint").items()}
    torch.save(
        {"target_encoder": weights, "encoder": {"module.backbone.norm.weight": torch.zeros(1)}}, encoder
    )
    torch.save({"classifier": {f"module.{name}": value for name, value in random_probe().items()}}, probe)
    return encoder, probe
