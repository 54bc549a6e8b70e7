"""The one kind of encoder: a frozen network behind a checked, normalising `encode`."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import final

import numpy as np
import torch
from torch import Tensor, nn

from latentveil.errors import InputError
from latentveil.types import EncoderInfo

CLIP_FRAMES = 16


@final
class Encoder(nn.Module):
    """A frozen video model (the paper's f_E): clips of RGB frames in, one feature of ``info.dim`` numbers each out.

    ``network`` maps normalised frames (B, 3, T, H, W) float32 to features (B, D). It stays frozen and in evaluation
    mode, whatever is called on a module around it.
    """

    scale: Tensor
    shift: Tensor

    def __init__(self, network: nn.Module, info: EncoderInfo, *, backend: str = "torch") -> None:
        super().__init__()
        self.network = network
        self.info = info
        self.backend = backend
        # (x / 255 - mean) / std as one multiplication and one addition per value
        std = torch.tensor(info.std, dtype=torch.float64)
        mean = torch.tensor(info.mean, dtype=torch.float64)
        self.register_buffer("scale", (1 / (255 * std)).float().view(3, 1, 1, 1), persistent=False)
        self.register_buffer("shift", (-mean / std).float().view(3, 1, 1, 1), persistent=False)
        self.requires_grad_(False)
        self.eval()

    def train(self, mode: bool = True) -> Encoder:
        """Stays in evaluation mode."""
        return super().train(False)

    def forward(self, frames: Tensor) -> Tensor:
        """Normalised frames (B, 3, T, H, W) to features (B, D)."""
        return self.network(frames)

    @torch.inference_mode()
    def encode(self, clips: Tensor | np.ndarray) -> Tensor:
        """RGB clips (B, T, H, W, 3) uint8 to features (B, D) float32, on the CPU, where the store takes them."""
        clips = self._checked(clips).to(self.scale.device)
        features = self(self.normalise(clips))
        assert features.shape == (len(clips), self.info.dim), f"{self.info.name} gave {tuple(features.shape)}"
        return features.float().cpu()

    def normalise(self, clips: Tensor) -> Tensor:
        """RGB clips (B, T, H, W, 3) uint8 to normalised frames (B, 3, T, H, W) float32."""
        frames = torch.empty(len(clips), 3, *clips.shape[1:4], device=clips.device)  # (B, 3, T, H, W)
        frames.copy_(clips.permute(0, 4, 1, 2, 3))
        return frames.mul_(self.scale).add_(self.shift)

    def _checked(self, clips: Tensor | np.ndarray) -> Tensor:
        """``clips`` as a tensor, or an error that says what is wrong with them."""
        if isinstance(clips, np.ndarray) and clips.dtype == np.uint8:
            clips = torch.from_numpy(np.require(clips, requirements=["C", "W"]))
        if not isinstance(clips, Tensor) or clips.dtype != torch.uint8:
            kind = getattr(clips, "dtype", type(clips).__name__)
            raise InputError(
                f"clips must be of type uint8, got {kind}. Hand over RGB frames with values 0 to 255."
            )
        size = self.info.frame_size
        expected = (self.info.clip_frames, size, size, 3)
        if clips.ndim != 5 or tuple(clips.shape[1:]) != expected or len(clips) == 0:
            axes = ", ".join(map(str, expected))
            raise InputError(
                f"clips must be of shape (B, {axes}) with B >= 1 for encoder {self.info.name}, "
                f"got {tuple(clips.shape)}. Cut and resize them as EncoderInfo says."
            )
        return clips


def hash_weights(state: Mapping[str, Tensor]) -> str:
    """SHA-256 over the names, types, shapes and bytes of a state dict, in the order of the names."""
    digest = hashlib.sha256()
    for name, tensor in sorted(state.items()):
        digest.update(f"{name} {tensor.dtype} {tuple(tensor.shape)}\n".encode())
        digest.update(tensor.detach().cpu().contiguous().view(-1).view(torch.uint8).numpy().data)
    return digest.hexdigest()
