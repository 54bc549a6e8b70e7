"""VideoMAE (Tong et al., NeurIPS 2022) from any checkpoint of transformers: what the classifier would be fed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from torch import Tensor, nn

from latentveil.encoders.base import Encoder, hash_weights
from latentveil.encoders.hub import load_model, read_config, read_normalisation
from latentveil.encoders.plugin import EncoderPlugin
from latentveil.errors import InputError
from latentveil.types import EncoderInfo

if TYPE_CHECKING:
    from transformers import VideoMAEForVideoClassification

DEFAULT_WEIGHTS = "MCG-NJU/videomae-base-finetuned-kinetics"


def load(*, size: int | None, weights: str | None) -> Encoder:
    """VideoMAE of the checkpoint ``weights`` (ViT-B, Kinetics-400, 768 numbers, unless given)."""
    from transformers import VideoMAEForVideoClassification

    weights = weights or DEFAULT_WEIGHTS
    config = read_config(weights, model_type="videomae")
    if size not in (None, config.image_size):
        raise InputError(
            f"size must be {config.image_size} for {weights}, got {size}. Its positions are of that size."
        )
    # Checkpoints of the pre-training have no head: then the norm is the untrained one, without gain and bias.
    model = load_model(VideoMAEForVideoClassification, weights, optional=("classifier.", "fc_norm."))
    network = PooledVideoMAE(model)
    mean, std = read_normalisation(weights)
    info = EncoderInfo(
        name="videomae",
        weights_sha256=hash_weights(network.state_dict()),
        dim=config.hidden_size,
        clip_frames=config.num_frames,
        frame_size=config.image_size,
        mean=mean,
        std=std,
        pooling="mean of the tokens" + (", layer norm" if network.fc_norm else ""),
    )
    return Encoder(network, info)


encoder = EncoderPlugin(
    name="videomae",
    about="VideoMAE from any checkpoint of transformers: 768 numbers a clip for ViT-B.",
    load=load,
)


class PooledVideoMAE(nn.Module):
    """The transformer, the mean of its tokens and the norm before the classifier.

    Checkpoints without mean pooling norm the tokens instead, and their classifier reads the first patch alone; here
    the mean stands for them too, so that a feature describes the whole clip.
    """

    def __init__(self, model: VideoMAEForVideoClassification) -> None:
        super().__init__()
        self.videomae = model.videomae
        self.fc_norm = model.fc_norm

    def forward(self, frames: Tensor) -> Tensor:
        """Normalised frames (B, 3, T, H, W) to features (B, D)."""
        tokens = self.videomae(frames.transpose(1, 2)).last_hidden_state  # (B, tokens, D)
        pooled = tokens.mean(dim=1)  # (B, D)
        return pooled if self.fc_norm is None else self.fc_norm(pooled)
