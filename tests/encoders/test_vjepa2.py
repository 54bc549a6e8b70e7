"""V-JEPA 2: the mean of transformers' own tokens, or the output of its trained pooler."""

from __future__ import annotations

import pytest
import torch

from latentveil.encoders import load_encoder
from latentveil.errors import InputError

IMAGENET = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])


def test_feature_is_the_mean_of_the_tokens(vjepa2_folder, make_clips, as_pixel_values):
    from transformers import VJEPA2Model

    encoder, clips = load_encoder(f"vjepa2:{vjepa2_folder}"), make_clips(2, size=32)
    with torch.no_grad():
        tokens = (
            VJEPA2Model.from_pretrained(vjepa2_folder)
            .eval()
            .get_vision_features(as_pixel_values(clips, *IMAGENET))
        )
    torch.testing.assert_close(encoder.encode(clips), tokens.mean(dim=1), rtol=1e-4, atol=1e-4)
    assert encoder.info.clip_frames == 16
    assert encoder.info.pooling == "mean of the tokens"
    assert not any("predictor" in name for name in encoder.state_dict())


def test_a_classification_checkpoint_gives_its_pooler_output(
    save_vjepa2, tmp_path, make_clips, as_pixel_values
):
    from transformers import VJEPA2ForVideoClassification

    save_vjepa2(tmp_path, "VJEPA2ForVideoClassification")
    encoder, clips = load_encoder(f"vjepa2:{tmp_path}"), make_clips(2, size=32)
    model, seen = VJEPA2ForVideoClassification.from_pretrained(tmp_path).eval(), []
    model.classifier.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    with torch.no_grad():
        model(as_pixel_values(clips, *IMAGENET))
    torch.testing.assert_close(encoder.encode(clips), seen[0], rtol=1e-4, atol=1e-4)
    assert encoder.info.pooling == "attentive pooler"


def test_other_sizes_are_whole_numbers_of_patches(vjepa2_folder, make_clips):
    encoder = load_encoder(f"vjepa2:{vjepa2_folder}", size=48)
    assert encoder.info.frame_size == 48
    assert torch.isfinite(encoder.encode(make_clips(1, size=48))).all()
    with pytest.raises(InputError, match=r"size must be a multiple of 16 for .*, got 50"):
        load_encoder(f"vjepa2:{vjepa2_folder}", size=50)
