"""VideoMAE: what transformers itself would feed its classifier."""

from __future__ import annotations

import pytest
import torch

from latentveil.encoders import load_encoder
from latentveil.errors import InputError


def classifier_input(folder, pixel_values: torch.Tensor) -> torch.Tensor:
    """What reaches the classifier of transformers' own model, (B, D)."""
    from transformers import VideoMAEForVideoClassification

    model = VideoMAEForVideoClassification.from_pretrained(folder).float().eval()
    seen = []
    model.classifier.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    with torch.no_grad():
        model(pixel_values)
    return seen[0]


def test_feature_is_what_the_classifier_reads(videomae_folder, make_clips, as_pixel_values):
    encoder, clips = load_encoder(f"videomae:{videomae_folder}"), make_clips(2, size=32)
    assert encoder.info.dim == 24
    assert encoder.info.mean == (0.4, 0.5, 0.6)
    assert encoder.info.pooling == "mean of the tokens, layer norm"
    expected = classifier_input(videomae_folder, as_pixel_values(clips, [0.4, 0.5, 0.6], [0.2, 0.25, 0.3]))
    torch.testing.assert_close(encoder.encode(clips), expected, rtol=1e-4, atol=1e-4)


def test_a_checkpoint_without_mean_pooling_gives_the_mean_of_all_tokens(
    save_videomae, tmp_path, make_clips, as_pixel_values
):
    from transformers import VideoMAEModel

    save_videomae(tmp_path, use_mean_pooling=False)
    encoder, clips = load_encoder(f"videomae:{tmp_path}"), make_clips(1, size=32)
    with torch.no_grad():
        pixels = as_pixel_values(clips, [0.4, 0.5, 0.6], [0.2, 0.25, 0.3])
        tokens = VideoMAEModel.from_pretrained(tmp_path).eval()(pixels).last_hidden_state
    torch.testing.assert_close(encoder.encode(clips), tokens.mean(dim=1), rtol=1e-4, atol=1e-4)
    assert encoder.info.pooling == "mean of the tokens"


def test_a_pre_training_checkpoint_works_the_same_every_time(save_videomae, tmp_path, make_clips):
    save_videomae(tmp_path, "VideoMAEForPreTraining")
    clips = make_clips(1, size=32)
    first, second = (load_encoder(f"videomae:{tmp_path}") for _ in range(2))
    assert first.info == second.info
    feature = first.encode(clips)
    assert torch.equal(feature, second.encode(clips))
    assert feature.mean().abs() < 1e-5  # normed, without gain and bias
    assert feature.std() == pytest.approx(1, abs=0.05)


def test_half_precision_checkpoints_run_in_float32(save_videomae, tmp_path, make_clips):
    from transformers import VideoMAEForVideoClassification

    save_videomae(tmp_path)
    VideoMAEForVideoClassification.from_pretrained(tmp_path).half().save_pretrained(tmp_path)
    encoder = load_encoder(f"videomae:{tmp_path}")
    assert {parameter.dtype for parameter in encoder.parameters()} == {torch.float32}
    assert encoder.encode(make_clips(1, size=32)).dtype == torch.float32


def test_attention_is_the_fused_one_and_the_classifier_is_dropped(videomae_folder):
    network = load_encoder(f"videomae:{videomae_folder}").network
    assert network.videomae.config._attn_implementation == "sdpa"
    assert not any(name.startswith("classifier") for name in network.state_dict())


def test_wrong_checkpoints_are_refused(videomae_folder, vjepa2_folder, tmp_path):
    from safetensors.torch import load_file, save_file

    with pytest.raises(InputError, match="size must be 32 for "):
        load_encoder(f"videomae:{videomae_folder}", size=64)
    with pytest.raises(InputError, match=r"weights must be a videomae checkpoint, got .* of type vjepa2"):
        load_encoder(f"videomae:{vjepa2_folder}")
    with pytest.raises(InputError, match="weights must be a folder or hub id"):
        load_encoder(f"videomae:{tmp_path}")
    for file in videomae_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    state = load_file(tmp_path / "model.safetensors")
    lost = next(name for name in sorted(state) if "encoder.layer.1" in name)
    save_file({name: value for name, value in state.items() if name != lost}, tmp_path / "model.safetensors")
    with pytest.raises(InputError, match=f"got .* without {lost} and 0 more"):
        load_encoder(f"videomae:{tmp_path}")
