"""The pixel anonymizer (f_A of SPAct): clips in, clips out, saved as a folder as an adapter is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
import torch
from einops import rearrange
from huggingface_hub import ModelCard
from torch import Tensor

from latentveil.adapters.saved import SavedNetwork
from latentveil.errors import InputError, PluginError
from latentveil.pixels.network import PIXEL_NETWORKS
from latentveil.pixels.request import VideoRequest
from latentveil.report.card import pixel_card
from latentveil.video.frames import Frame, FrameSource

LEVEL = "pixels"  # in config.json: what tells these folders from those of adapters


class PixelAnonymizer(SavedNetwork):
    """Clips (B, T, C, H, W) in [0, 1] in, anonymized clips of the same shape and dtype out.

    ``architecture`` is the name of a pixel network, ``options`` are those of this network; ``recipe`` records how it
    was made. ``network`` is the module itself, for whoever trains it.
    """

    word = "anonymizer"

    def __init__(
        self,
        *,
        architecture: str,
        recipe: dict[str, Any] | None = None,
        level: str = LEVEL,
        about: str = "",  # in config.json for readers; made anew from the options
        **options: Any,
    ) -> None:
        super().__init__()
        if level != LEVEL:
            raise InputError(f"level must be {LEVEL!r} for a pixel anonymizer, got {level!r}.")
        self.plugin = PIXEL_NETWORKS.get(architecture)
        chosen = self.plugin.check_options(options)
        self.config: dict[str, Any] = {
            "level": LEVEL,
            "architecture": architecture,
            "about": self.plugin.describe(chosen),
            **chosen.model_dump(mode="json"),
            "recipe": recipe,
        }
        self.architecture = architecture
        self.network = self.plugin.build(chosen)

    def forward(self, clips: Tensor) -> Tensor:
        """Anonymize ``clips`` (B, T, C, H, W) of floating-point numbers in [0, 1]; they stay in that range.

        The numbers may have any precision; it is that of the network's weights in between.
        """
        if clips.ndim != 5 or clips.shape[2] != 3 or 0 in clips.shape:
            raise InputError(f"clips must be of shape (B, T, 3, H, W), got {tuple(clips.shape)}.")
        if not clips.is_floating_point():
            raise InputError(f"clips must be floating-point numbers in [0, 1], got {clips.dtype}.")
        precision = next((weight.dtype for weight in self.parameters()), clips.dtype)
        output: Tensor = self.network(clips.to(precision))
        if output.shape != clips.shape:
            raise PluginError(
                f"the pixel network {self.architecture} must keep the shape of clips, {tuple(clips.shape)}, got "
                f"{tuple(output.shape)}. Mend it."
            )
        return output.to(clips.dtype)

    def stream(self, source: FrameSource, request: VideoRequest | None = None) -> Iterator[Frame]:
        """All frames of a video in order, anonymized; a few are in memory at a time, however long the video is."""
        request = request or VideoRequest()
        if self.plugin.stream is not None:
            yield from self.plugin.stream(self.network, source, request)
            return
        frames = request.frames_of(source)
        while block := tuple(islice(frames, self.plugin.block_frames)):
            yield from self._block(block, request)

    def _block(self, block: tuple[Frame, ...], request: VideoRequest) -> Iterator[Frame]:
        """Some frames that follow each other, anonymized together where any of them is asked for."""
        if not any(request.covers(frame) for frame in block):
            yield from block
            return
        missing = self.plugin.block_frames - len(block)
        clip = as_clip(np.stack([frame.rgb for frame in (*block, *block[-1:] * missing)]))
        device = next((value.device for value in self.state_dict().values()), clip.device)
        with torch.inference_mode():
            pictures = as_pictures(self(clip[None].to(device))[0])
        for frame, rgb in zip(block, pictures):
            yield replace(frame, rgb=rgb) if request.covers(frame) else frame

    def generate_model_card(self, *_: Any, **__: Any) -> ModelCard:
        """The privacy card, which says that nothing was audited yet."""
        return ModelCard(pixel_card(self.config), ignore_metadata_errors=True)


def as_clip(pictures: np.ndarray) -> Tensor:
    """Pictures (T, H, W, 3) uint8 as a clip (T, 3, H, W) of numbers in [0, 1]."""
    return rearrange(torch.from_numpy(pictures), "t h w c -> t c h w").float() / 255


def as_pictures(clip: Tensor) -> np.ndarray:
    """A clip (T, 3, H, W) of numbers in [0, 1] as pictures (T, H, W, 3) uint8."""
    rounded = (clip.float().clamp(0, 1) * 255).round().to(torch.uint8)
    return rearrange(rounded, "t c h w -> t h w c").contiguous().cpu().numpy()
