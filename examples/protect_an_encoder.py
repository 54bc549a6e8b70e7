"""Protect a PyTorch encoder: the module that replaces it gives safe features, and raw ones are never written.

Run: python examples/protect_an_encoder.py
"""

import torch
from torch import nn

import latentveil as lv

PEOPLE, ACTIONS, TAKES = 10, 3, ("train", "train", "val", "test")


class MyEncoder(nn.Module):
    """Stands for yours: frames (B, 3, T, H, W) to features (B, D)."""

    def __init__(self) -> None:
        super().__init__()
        self.filters = nn.Conv3d(3, 32, (4, 5, 5), stride=(2, 3, 3))
        self.project = nn.Linear(2 * 32, 48)

    def forward(self, frames: torch.Tensor) -> torch.Tensor:
        found = self.filters(frames).relu().flatten(2)  # (B, 32, places)
        return self.project(torch.cat([found.mean(dim=2), found.std(dim=2)], dim=1))


def invent_frames() -> tuple[torch.Tensor, dict[str, list]]:
    """Clips (V, 3, 8, 16, 16) of coloured squares that move, one per video, and their labels.

    The colour is the person's; one colour in two stands for a gender; the way it moves is the action.
    """
    colours = 0.3 + 0.7 * torch.rand(PEOPLE, 3)
    colours[:, 0] = (torch.arange(PEOPLE) % 2).float()
    clips, rows = [], []
    for person in range(PEOPLE):
        for action in range(ACTIONS):
            for take, split in enumerate(TAKES):
                clip = 0.05 * torch.randn(3, 8, 16, 16)
                for time in range(8):
                    x, y = {0: (time, 5), 1: (5, time), 2: (5, 5 + time % 3)}[action]
                    clip[:, time, y : y + 5, x : x + 5] += colours[person][:, None, None]
                clips.append(clip)
                rows.append(
                    (f"p{person}_a{action}_{take}", split, f"p{person}", f"action{action}", person % 2)
                )
    names = ("video", "split", "person", "action", "secret_gender")
    return torch.stack(clips), dict(zip(names, map(list, zip(*rows))))


torch.manual_seed(0)
encoder = MyEncoder().eval()
frames, labels = invent_frames()

# Once, at home: features of videos that you may use, an adapter fitted on them, an audit.
with torch.inference_mode():
    raw = lv.FeatureSet.from_arrays(encoder(frames), video=labels["video"])
adapter = lv.fit(raw, labels, tasks=["action"], progress=False)

# From then on: the protected encoder takes what the encoder takes, and gives safe features of the same shape.
protected = lv.protect(encoder, adapter)
with torch.inference_mode():
    safe = lv.FeatureSet.from_arrays(protected(frames), video=labels["video"])
assert safe.feature.shape == raw.feature.shape

audit = lv.audit(raw, safe, labels, secrets=["gender"], attacks=["linear", "lda"], progress=False)
print(audit)

adapter.save("adapter")  # where it is served: lv.protect(encoder, "adapter")
