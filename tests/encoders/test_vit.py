"""Checkpoints of large video transformers as their authors name them: read strictly, and computed as written out here.

The checkpoints are small and random, of the true architecture; vit_reference.py has the formulas.
"""

from __future__ import annotations

import math

import pytest
import torch

from latentveil.encoders.vit import TransformerShape, VideoTransformer, sinusoids
from latentveil.encoders.vit_checkpoints import read_videomae_checkpoint, read_vjepa_checkpoint, read_weights
from latentveil.errors import InputError
from tests.encoders.vit_reference import (
    DIM,
    FRAMES,
    HEADS,
    SIZE,
    TOKENS,
    attend,
    mlp,
    norm,
    random_probe,
    random_transformer,
    save_videomae_checkpoint,
    save_vjepa_checkpoints,
    tokens_of,
)


@pytest.fixture
def clips():
    return torch.randn(2, 3, FRAMES, SIZE, SIZE, generator=torch.Generator().manual_seed(3))


@pytest.fixture
def videomae_file(tmp_path):
    return save_videomae_checkpoint(tmp_path / "internvideo.pth")


@pytest.fixture
def vjepa_files(tmp_path):
    return save_vjepa_checkpoints(tmp_path)


def test_internvideo_and_videomae_give_the_normed_mean_of_their_tokens(videomae_file, clips):
    network = read_videomae_checkpoint(videomae_file, heads=HEADS, frames=FRAMES, size=SIZE)
    assert (network.dim, network.clip_frames, network.frame_size) == (DIM, FRAMES, SIZE)
    weights = random_transformer(bias="of queries and values")
    for clip, feature in zip(clips, network(clips)):
        mean = tokens_of(weights, clip, sinusoids(TOKENS, DIM)).mean(dim=0)
        torch.testing.assert_close(feature, norm(weights, "fc_norm", mean), rtol=1e-4, atol=1e-4)


def test_vjepa_gives_what_its_probe_hands_to_the_linear_layer(vjepa_files, clips):
    network = read_vjepa_checkpoint(*vjepa_files, heads=HEADS, frames=FRAMES, size=SIZE)
    weights, probe, block = random_transformer(bias="joint"), random_probe(), "pooler.cross_attention_block"
    for clip, feature in zip(clips, network(clips)):
        tokens = norm(weights, "norm", tokens_of(weights, clip, weights["pos_embed"][0]))
        seen = norm(probe, f"{block}.norm1", tokens, eps=1e-5)
        key, value = (seen @ probe[f"{block}.xattn.kv.weight"].T + probe[f"{block}.xattn.kv.bias"]).split(
            DIM, dim=1
        )
        query = probe["pooler.query_tokens"][0]
        asked = query @ probe[f"{block}.xattn.q.weight"].T + probe[f"{block}.xattn.q.bias"]
        found = (
            attend(asked, key, value) @ probe[f"{block}.xattn.proj.weight"].T
            + probe[f"{block}.xattn.proj.bias"]
        )
        query = query + found
        query = query + mlp(probe, f"{block}.mlp", norm(probe, f"{block}.norm2", query, eps=1e-5))
        torch.testing.assert_close(feature, query[0], rtol=1e-4, atol=1e-4)


def test_positions_by_hand():
    found = sinusoids(3, 4)
    expected = [[math.sin(2), math.cos(2), math.sin(2 / 100), math.cos(2 / 100)]]
    torch.testing.assert_close(found[2:], torch.tensor(expected))


@pytest.mark.parametrize(
    ("shape", "millions"),
    [
        (TransformerShape(768, 12, 12, 3072), 86.23),
        (TransformerShape(1280, 32, 16, 5120), 631.61),
        (TransformerShape(1408, 40, 16, 6144, patch=14), 1011.61),
        (TransformerShape(1280, 32, 16, 5120, pooling="attention"), 631.65 + 19.68),
    ],
)
def test_the_true_sizes_have_the_published_numbers_of_parameters(shape, millions):
    with torch.device("meta"):
        network = VideoTransformer(shape)
    # Positions are parameters of V-JEPA, and no parameters of VideoMAE.
    assert sum(value.numel() for value in network.parameters()) / 1e6 == pytest.approx(millions, rel=0.004)


def test_what_is_no_such_checkpoint_is_refused(tmp_path, videomae_file, vjepa_files):
    with pytest.raises(InputError, match="checkpoint must be a file, got"):
        read_weights(tmp_path / "missing.pth")
    torch.save({"a": torch.zeros(1)}, tmp_path / "other.pth")
    with pytest.raises(
        InputError, match=r"must be of a video transformer, got .* without patch_embed\.proj\.weight"
    ):
        read_videomae_checkpoint(tmp_path / "other.pth", heads=HEADS)
    with pytest.raises(InputError, match="heads, size and frames must divide 24 numbers"):
        read_videomae_checkpoint(videomae_file, heads=5, frames=FRAMES, size=SIZE)
    with pytest.raises(
        InputError, match=r"checkpoint must fit the network of its shape.*pooler\.query_tokens"
    ):
        read_vjepa_checkpoint(vjepa_files[0], vjepa_files[0], heads=HEADS, frames=FRAMES, size=SIZE)
    (tmp_path / "text.pth").write_text("no weights")
    with pytest.raises(InputError, match="checkpoint must be a file of weights, got"):
        read_weights(tmp_path / "text.pth")
