"""Checkpoints of others: whatever is in their files, a sentence, soon, and without the memory they ask for."""

import json

import pytest
import torch
from transformers import VideoMAEConfig, VideoMAEModel

from latentveil.encoders import load_encoder
from latentveil.encoders.checkpoint_config import LARGEST
from latentveil.errors import InputError


@pytest.fixture
def checkpoint(tmp_path):
    """A folder with a small random VideoMAE."""
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = VideoMAEConfig(**sizes, image_size=32, patch_size=16, num_frames=4)
    VideoMAEModel(config).save_pretrained(tmp_path)
    return tmp_path


def changed(checkpoint, **changes):
    path = checkpoint / "config.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))
    return str(checkpoint)


def test_a_small_checkpoint_is_taken(checkpoint):
    assert load_encoder("videomae", weights=str(checkpoint)).info.dim == 32


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "must be a JSON object, got list"),
        ("5", "must be a JSON object, got int"),
        ("[" * 100_000, "nested too deep"),
        ('{"model_type": "\\ud800"}', "half of a character"),
        ("{}", "transformers can read"),
        ("\0", "got no JSON"),
    ],
)
def test_refuses_other_files_than_a_configuration(checkpoint, text, message):
    (checkpoint / "config.json").write_text(text)
    with pytest.raises(InputError, match=message):
        load_encoder("videomae", weights=str(checkpoint))


@pytest.mark.parametrize("value", [0, -1, 10**9, "x", None, 1.5, True, [1, 2, 3], []])
@pytest.mark.parametrize("key", ["hidden_size", "num_hidden_layers", "num_frames", "patch_size"])
def test_refuses_sizes_that_cannot_be(checkpoint, key, value):
    with pytest.raises(
        InputError, match=f"{key} in .* must be a whole number from 1 to {LARGEST[key]:,}, got"
    ):
        load_encoder("videomae", weights=changed(checkpoint, **{key: value}))


def test_refuses_more_tokens_than_can_be_run(checkpoint):
    with pytest.raises(InputError, match="at most 131,072 tokens of a clip, got 134,217,728"):
        load_encoder("videomae", weights=changed(checkpoint, image_size=4096, patch_size=1, num_frames=16))


def test_refuses_sizes_of_far_more_than_the_weights_hold(checkpoint):
    with pytest.raises(InputError, match=r"must be of the weights beside it, got 1024 layers of 16384"):
        load_encoder("videomae", weights=changed(checkpoint, hidden_size=16384, num_hidden_layers=1024))


@pytest.mark.parametrize("changes", [{"num_attention_heads": 3}, {"hidden_act": "nope"}, {"hidden_size": 48}])
def test_refuses_what_transformers_cannot_build_or_fill(checkpoint, changes):
    with pytest.raises(InputError, match="weights must"):
        load_encoder("videomae", weights=changed(checkpoint, **changes))


def test_refuses_damaged_weights(checkpoint):
    path = checkpoint / "model.safetensors"
    whole = path.read_bytes()
    for damaged in (whole[: len(whole) // 2], b"\xff" * 8 + whole[8:], whole[:8] + b"{" * (len(whole) - 8)):
        path.write_bytes(damaged)
        with pytest.raises(InputError, match=r"transformers can read, got .* \(Error while deserializing"):
            load_encoder("videomae", weights=str(checkpoint))


def test_refuses_objects_in_weights(checkpoint):
    (checkpoint / "model.safetensors").unlink()
    torch.save({"a": object(), "b": torch.zeros(10_000)}, checkpoint / "pytorch_model.bin")
    with pytest.raises(InputError, match="Weights only load failed"):
        load_encoder("videomae", weights=str(checkpoint))
