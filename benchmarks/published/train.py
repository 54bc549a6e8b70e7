"""Training of one adapter by the published objective: one joint step per batch, nothing hidden."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from benchmarks.published.arms import CROSS, OFF, Arm
from benchmarks.published.data import Videos
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.initialise import make_identity
from latentveil.losses.budget import nt_xent
from latentveil.losses.consistency import latent_consistency

BATCH_VIDEOS = 512
STEPS = 700
LEARNING_RATE = 1e-4
WEIGHTS = {"task": 1.0, "budget": -1.0, "consistency": 100.0}  # the budget is maximised
LAYERS, HEADS = 3, 8
# The last losses are means over this many steps.
LAST_STEPS = 20
GRADE_BATCH = 1024


@dataclass(frozen=True, eq=False)
class Trained:
    """An adapter, and each loss term before the first step and at the end."""

    adapter: Adapter
    first: dict[str, float]
    last: dict[str, float]


def train_adapter(
    videos: Videos,
    arm: Arm,
    *,
    seed: int,
    steps: int = STEPS,
    full_width: int | None = None,
    say: Callable[[str], None] = print,
) -> Trained:
    """An adapter that starts as exactly the identity, trained together with a fresh linear action head.

    The consistency is a mean over dimensions: where directions were left out, ``full_width`` keeps its weight.
    """
    torch.manual_seed(seed)
    dim = videos.clips.shape[-1]
    adapter = Adapter(dim=dim, architecture="released", layers=LAYERS, heads=HEADS, attends=arm.attends)
    make_identity(adapter)
    head = nn.Linear(dim, int(videos.action.max()) + 1)
    parameters = [*adapter.parameters(), *head.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=LEARNING_RATE, fused=True)
    weights = WEIGHTS | {"consistency": WEIGHTS["consistency"] * dim / (full_width or dim)}
    if arm.budget == OFF:
        del weights["budget"]
    log: list[dict[str, float]] = []
    for step, rows in enumerate(batches(len(videos.action), steps=steps, seed=seed)):
        terms = loss_terms(adapter, head, videos.select(rows), arm, np.random.default_rng((seed, step)))
        loss = torch.stack([weight * terms[name] for name, weight in weights.items()]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        log.append({name: value.item() for name, value in terms.items()})
        if step % 50 == 0:
            say(f"step {step}: " + "  ".join(f"{name} {value:.4g}" for name, value in log[-1].items()))
    last = {name: float(np.mean([entry[name] for entry in log[-LAST_STEPS:]])) for name in log[0]}
    return Trained(adapter.eval(), log[0], last)


def loss_terms(
    adapter: Adapter, head: nn.Module, videos: Videos, arm: Arm, random: np.random.Generator
) -> dict[str, Tensor]:
    """Task and consistency on clips, and the budget, which is told also where it is not trained.

    Over time all clips of a video pass together; over the batch one random clip of each video, as in the public code.
    """
    clips = torch.from_numpy(videos.clips)  # (V, T, D)
    if arm.attends == "batch":
        chosen = torch.from_numpy(random.integers(clips.shape[1], size=len(clips)))
        clips = clips[torch.arange(len(clips)), chosen][:, None]  # (V, 1, D)
    shown = adapter(clips)
    action = torch.from_numpy(videos.action)[:, None].expand(clips.shape[:2])
    stills = torch.from_numpy(videos.stills)
    first = adapter(stills[:, :1])[:, 0]  # (V, D)
    partner = shown[:, 0] if arm.budget == CROSS else adapter(stills[:, 1:2])[:, 0]
    everywhere = torch.ones(clips.shape[:2], dtype=torch.bool)
    return {
        "task": F.cross_entropy(head(shown).flatten(0, 1), action.flatten()),
        "budget": nt_xent(first, partner),
        "consistency": latent_consistency(clips, shown, everywhere, reduction="mean"),
    }


def batches(num_videos: int, *, steps: int, seed: int) -> Iterator[np.ndarray]:
    """Yield ``steps`` batches of distinct videos: the first of a fresh shuffle each time the last is used up."""
    random = np.random.default_rng(seed)
    size = min(BATCH_VIDEOS, num_videos)
    order = np.empty(0, dtype=np.int64)
    for _ in range(steps):
        if len(order) < size:
            order = random.permutation(num_videos)
        yield order[:size]
        order = order[size:]


def apply_adapter(adapter: Adapter, feature: np.ndarray, *, seed: int) -> np.ndarray:
    """The rows (N, D) behind the adapter, in random batches of ``GRADE_BATCH``, each row a video of its own."""
    output = np.empty_like(feature)
    order = np.random.default_rng(seed).permutation(len(feature))
    with torch.no_grad():
        for start in range(0, len(order), GRADE_BATCH):
            rows = order[start : start + GRADE_BATCH]
            output[rows] = adapter(torch.from_numpy(feature[rows])[:, None])[:, 0].numpy()
    return output


def relative_change(before: np.ndarray, after: np.ndarray) -> float:
    """The mean over rows (N, D) of how far they moved, in units of their own length."""
    return float((np.linalg.norm(after - before, axis=1) / np.linalg.norm(before, axis=1)).mean())
