"""The config.json of a checkpoint that somebody else made, checked before anything of the sizes it names is built."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from latentveil.errors import InputError
from latentveil.files.json_files import read_json

# Sizes by the names that transformers gives them, each with several times what the largest known video encoder has.
LARGEST = {
    "hidden_size": 1 << 14,
    "intermediate_size": 1 << 17,
    "num_hidden_layers": 1 << 10,
    "num_attention_heads": 1 << 10,
    "num_channels": 1 << 6,
    "image_size": 1 << 12,
    "crop_size": 1 << 12,
    "patch_size": 1 << 10,
    "num_frames": 1 << 12,
    "frames_per_clip": 1 << 12,
    "tubelet_size": 1 << 10,
}
PREDICTOR = "pred_"  # V-JEPA 2's predictor has sizes of its own, under the same names
MOST_TOKENS = 1 << 17  # of one clip
LEAST_BYTES_OF_A_NUMBER = 1
WEIGHT_FILES = ("*.safetensors", "*.bin")


def check_config_file(path: Path) -> None:
    """Refuse a config.json that is no JSON object, or asks for a network that nobody has or could run."""
    settings = read_json(path, what="the config.json of a checkpoint")
    if not isinstance(settings, dict):
        raise InputError(f"{path} must be a JSON object, got {type(settings).__name__}. Download it anew.")
    for name, most in LARGEST.items():
        for key in (name, PREDICTOR + name):
            if key in settings:
                _require_size(settings[key], most, key=key, path=path)
    _require_tokens(settings, path)
    _require_stored(settings, path)


def _require_stored(settings: dict[str, Any], path: Path) -> None:
    """Refuse sizes of far more numbers than the weights in the same folder hold."""
    hidden, layers = settings.get("hidden_size"), settings.get("num_hidden_layers")
    if hidden is None or layers is None:
        return  # the usual sizes of such a network
    files = [file for pattern in WEIGHT_FILES for file in path.parent.glob(pattern)]
    held = sum(file.stat().st_size for file in files) // LEAST_BYTES_OF_A_NUMBER
    wanted = layers * (4 * hidden**2 + 2 * hidden * settings.get("intermediate_size", hidden))
    if files and wanted > held:
        raise InputError(
            f"{path} must be of the weights beside it, got {layers} layers of {hidden} (some {wanted:,} numbers) "
            f"beside {held:,} bytes. Download both anew."
        )


def _require_size(value: Any, most: int, *, key: str, path: Path) -> None:
    values = value if isinstance(value, list) and 0 < len(value) <= 2 else [value]  # height and width
    if not all(type(one) is int and 1 <= one <= most for one in values):
        raise InputError(
            f"{key} in {path} must be a whole number from 1 to {most:,}, got {ascii(value)[:60]}. "
            "Check that it is a checkpoint of this model."
        )


def _require_tokens(settings: dict[str, Any], path: Path) -> None:
    frames = settings.get("num_frames", settings.get("frames_per_clip", 1))
    size = settings.get("image_size", settings.get("crop_size", 1))
    pixels, patch = (
        max(one) if isinstance(one, list) else one for one in (size, settings.get("patch_size", 1))
    )
    tokens = max(1, frames // settings.get("tubelet_size", 1)) * max(1, pixels // patch) ** 2
    if tokens > MOST_TOKENS:
        raise InputError(
            f"{path} must ask for at most {MOST_TOKENS:,} tokens of a clip, got {tokens:,} ({frames} frames of "
            f"{pixels} pixels in patches of {patch}). Check that it is a checkpoint of this model."
        )
