"""V-JEPA 2 (Assran et al., 2025) from any checkpoint of transformers, pooled to one vector a clip.

There is no official pooled vector: the authors name none, users take the mean of the tokens. A checkpoint
with a trained attentive pooler gives the pooler's output, which is what SPLAVU used; any other gives the mean.
"""

from __future__ import annotations

from torch import Tensor, nn

from latentveil.encoders.base import CLIP_FRAMES, Encoder, hash_weights
from latentveil.encoders.hub import load_model, read_config, read_normalisation
from latentveil.encoders.plugin import EncoderPlugin
from latentveil.errors import InputError
from latentveil.types import EncoderInfo

DEFAULT_WEIGHTS = "facebook/vjepa2-vitl-fpc64-256"


def load(*, size: int | None, weights: str | None) -> Encoder:
    """V-JEPA 2 of the checkpoint ``weights`` (ViT-L, 1024 numbers, unless given) on clips of 16 frames."""
    from transformers import VJEPA2ForVideoClassification, VJEPA2Model

    weights = weights or DEFAULT_WEIGHTS
    config = read_config(weights, model_type="vjepa2")
    size = config.crop_size if size is None else size
    if size < config.patch_size or size % config.patch_size:
        raise InputError(f"size must be a multiple of {config.patch_size} for {weights}, got {size}.")
    if "VJEPA2ForVideoClassification" in (config.architectures or ()):
        classifier = load_model(
            VJEPA2ForVideoClassification, weights, optional=("classifier.", "vjepa2.predictor.")
        )
        network = PooledVJEPA2(classifier.vjepa2.encoder, classifier.pooler)
        pooling = "attentive pooler"
    else:
        model = load_model(VJEPA2Model, weights, optional=("predictor.",))
        network = PooledVJEPA2(model.encoder, None)
        pooling = "mean of the tokens"
    mean, std = read_normalisation(weights)
    info = EncoderInfo(
        name="vjepa2",
        weights_sha256=hash_weights(network.state_dict()),
        dim=config.hidden_size,
        clip_frames=CLIP_FRAMES,
        frame_size=size,
        mean=mean,
        std=std,
        pooling=pooling,
    )
    return Encoder(network, info)


encoder = EncoderPlugin(
    name="vjepa2",
    about="V-JEPA 2 from any checkpoint of transformers: 1024 numbers a clip for ViT-L.",
    load=load,
)


class PooledVJEPA2(nn.Module):
    """The transformer without its predictor, and the checkpoint's pooler where it has one."""

    def __init__(self, encoder: nn.Module, pooler: nn.Module | None) -> None:
        super().__init__()
        self.encoder = encoder
        self.pooler = pooler

    def forward(self, frames: Tensor) -> Tensor:
        """Normalised frames (B, 3, T, H, W) to features (B, D)."""
        tokens = self.encoder(frames.transpose(1, 2)).last_hidden_state  # (B, tokens, D)
        return tokens.mean(dim=1) if self.pooler is None else self.pooler(tokens)
