"""What encoders from transformers share: reading a checkpoint, strictly, from a local folder or the hub."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from latentveil.encoders.checkpoint_config import check_config_file
from latentveil.errors import InputError
from latentveil.files.json_files import read_json

if TYPE_CHECKING:
    from transformers import PretrainedConfig, PreTrainedModel

IMAGENET_MEAN = (0.485, 0.456, 0.406)
IMAGENET_STD = (0.229, 0.224, 0.225)
CONFIG_FILE = "config.json"
PREPROCESSOR_FILES = ("video_preprocessor_config.json", "preprocessor_config.json")

Colour = tuple[float, float, float]


def read_config(weights: str, *, model_type: str) -> PretrainedConfig:
    """The configuration of a checkpoint, which must be of ``model_type``."""
    from transformers import AutoConfig

    try:
        path = _find_file(weights, CONFIG_FILE)
        if path is not None:
            check_config_file(path)
        config = AutoConfig.from_pretrained(weights)
    except InputError:
        raise
    except Exception as error:  # what transformers raises on the files of others has no common class
        raise _unreadable(weights, error) from error
    if config.model_type != model_type:
        raise InputError(
            f"weights must be a {model_type} checkpoint, got {weights} of type {config.model_type}."
        )
    return config


def load_model(model_class: type[PreTrainedModel], weights: str, *, optional: tuple[str, ...] = ()) -> Any:
    """The model in float32 with torch's fused attention; only parameters that start as ``optional`` may be missing."""
    try:
        with _quiet():
            loaded: Any = model_class.from_pretrained(
                weights, attn_implementation="sdpa", output_loading_info=True
            )
    except Exception as error:  # as above; damaged weights have a class of their own, too
        raise _unreadable(weights, error) from error
    model, report = loaded
    missing = sorted(name for name in report["missing_keys"] if not name.startswith(optional))
    if missing:
        raise InputError(
            f"weights must hold every parameter of {model_class.__name__}, got {weights} without {missing[0]} "
            f"and {len(missing) - 1} more. Check that it is a checkpoint of this model."
        )
    return model.float()


def read_normalisation(weights: str) -> tuple[Colour, Colour]:
    """Mean and standard deviation of RGB in [0, 1] that the checkpoint asks for; ImageNet's where it says nothing."""
    for name in PREPROCESSOR_FILES:
        path = _find_file(weights, name)
        if path is None:
            continue
        settings = read_json(path, what="the settings of a checkpoint's pictures")
        if not isinstance(settings, dict):
            raise InputError(
                f"{path} must be a JSON object, got {type(settings).__name__}. Download it anew."
            )
        if "image_mean" in settings and "image_std" in settings:
            return _colour(settings, "image_mean", path=path), _colour(settings, "image_std", path=path)
    return IMAGENET_MEAN, IMAGENET_STD


def _colour(settings: dict[str, Any], name: str, *, path: Path) -> Colour:
    try:
        red, green, blue = map(float, settings[name])
    except (TypeError, ValueError) as error:
        raise InputError(f"{name} in {path} must be three numbers, got {settings[name]!r}.") from error
    return red, green, blue


def _find_file(weights: str, name: str) -> Path | None:
    from huggingface_hub import hf_hub_download
    from huggingface_hub.errors import EntryNotFoundError

    if Path(weights).is_dir():
        path = Path(weights) / name
        return path if path.is_file() else None
    try:
        return Path(hf_hub_download(weights, name))
    except EntryNotFoundError:  # the hub says so, or an offline cache has none
        return None


def _unreadable(weights: str, error: Exception) -> InputError:
    lines = str(error).strip().splitlines()
    reason = lines[0].rstrip(".") if lines else type(error).__name__
    return InputError(
        f"weights must be a folder or hub id that transformers can read, got {weights!r} ({reason}). "
        f"Give a folder with config.json and model.safetensors, or connect this machine."
    )


@contextmanager
def _quiet() -> Iterator[None]:
    """Without transformers' own bar, and its report on parameters left over: heads are left out here on purpose."""
    from transformers.utils import logging

    before, had_bar = logging.get_verbosity(), logging.is_progress_bar_enabled()
    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        yield
    finally:
        logging.set_verbosity(before)
        if had_bar:
            logging.enable_progress_bar()
