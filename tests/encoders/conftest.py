"""Clips to encode, and small random checkpoints saved as transformers saves them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

COLOURS = {"image_mean": [0.4, 0.5, 0.6], "image_std": [0.2, 0.25, 0.3]}


@pytest.fixture(scope="session")
def make_clips() -> Callable[..., torch.Tensor]:
    def make(batch: int, *, size: int, frames: int = 16, seed: int = 0) -> torch.Tensor:
        """Random clips (B, T, H, W, 3) uint8."""
        generator = torch.Generator().manual_seed(seed)
        return torch.randint(0, 256, (batch, frames, size, size, 3), dtype=torch.uint8, generator=generator)

    return make


@pytest.fixture(scope="session")
def as_pixel_values() -> Callable[..., torch.Tensor]:
    def convert(clips: torch.Tensor, mean: list[float], std: list[float]) -> torch.Tensor:
        """Frames (B, T, 3, H, W) as transformers takes them, normalised in float64, step by step."""
        scaled = (clips.double() / 255 - torch.tensor(mean)) / torch.tensor(std)  # (B, T, H, W, 3)
        return scaled.permute(0, 1, 4, 2, 3).float()

    return convert


@pytest.fixture
def here_importable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(Path(__file__).parent)


@pytest.fixture(scope="session")
def i3d_weights() -> Path:
    """The weights of i3d, from the user cache or else from the network."""
    from latentveil.encoders.i3d_weights import fetch_weights
    from latentveil.errors import InputError

    try:
        return fetch_weights()
    except InputError as error:
        pytest.skip(f"needs the weights of i3d in the cache, or a network to get them from: {error}")


@pytest.fixture(scope="session")
def save_videomae() -> Callable[..., Path]:
    def save(folder: Path, model_name: str = "VideoMAEForVideoClassification", **changes: object) -> Path:
        """A VideoMAE of 24 dimensions on 32 pixels, with a preprocessor file that has colours of its own."""
        import json

        import transformers

        settings = {"use_mean_pooling": True} | changes
        config = transformers.VideoMAEConfig(
            image_size=32,
            num_frames=16,
            hidden_size=24,
            intermediate_size=48,
            num_hidden_layers=2,
            num_attention_heads=2,
            decoder_hidden_size=12,
            decoder_intermediate_size=24,
            decoder_num_hidden_layers=1,
            decoder_num_attention_heads=2,
            num_labels=5,
            **settings,
        )
        _save_randomised(getattr(transformers, model_name)(config), folder)
        (folder / "preprocessor_config.json").write_text(json.dumps(COLOURS))
        return folder

    return save


@pytest.fixture(scope="session")
def save_vjepa2() -> Callable[..., Path]:
    def save(folder: Path, model_name: str = "VJEPA2Model") -> Path:
        """A V-JEPA 2 of 24 dimensions on 32 pixels, without a preprocessor file."""
        import transformers

        config = transformers.VJEPA2Config(
            crop_size=32,
            frames_per_clip=64,
            hidden_size=24,
            num_hidden_layers=2,
            num_attention_heads=2,
            num_pooler_layers=1,
            pred_hidden_size=24,
            pred_num_hidden_layers=1,
            pred_num_attention_heads=2,
            num_labels=5,
        )
        _save_randomised(getattr(transformers, model_name)(config), folder)
        return folder

    return save


@pytest.fixture(scope="session")
def videomae_folder(save_videomae, tmp_path_factory) -> Path:
    return save_videomae(tmp_path_factory.mktemp("videomae"))


@pytest.fixture(scope="session")
def vjepa2_folder(save_vjepa2, tmp_path_factory) -> Path:
    return save_vjepa2(tmp_path_factory.mktemp("vjepa2"))


def _save_randomised(model: torch.nn.Module, folder: Path) -> None:
    """Save ``model`` with every parameter random: fresh norms and biases would hide one that is left out."""
    generator = torch.Generator().manual_seed(0)
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.add_(0.1 * torch.randn(parameter.shape, generator=generator))
    model.save_pretrained(folder)
