"""Networks by import path: what they say of themselves is read, what they give is checked."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from latentveil.encoders import load_encoder
from latentveil.errors import InputError

pytestmark = pytest.mark.usefixtures("here_importable")


def test_attributes_are_read_and_tokens_averaged(make_clips):
    encoder = load_encoder("module:own_network:Tokens")
    info = encoder.info
    assert (info.name, info.dim, info.clip_frames, info.frame_size) == ("module:own_network:Tokens", 7, 4, 20)
    clips = make_clips(2, size=20, frames=4)
    colour = (clips.double() / 255).mean(dim=(1, 2, 3))  # (B, 3)
    colour = (colour - torch.tensor(info.mean)) / torch.tensor(info.std)
    expected = colour @ (torch.arange(21.0).double().reshape(7, 3) / 10).T + torch.arange(7.0)
    torch.testing.assert_close(encoder.encode(clips), expected.float(), rtol=1e-4, atol=1e-4)


def test_defaults_where_a_network_says_nothing():
    info = load_encoder("module:own_network:Pooled").info
    assert (info.dim, info.clip_frames, info.frame_size) == (3, 16, 224)
    assert info.mean == (0.485, 0.456, 0.406)
    assert load_encoder("module:own_network:Pooled", size=30).info.frame_size == 30


def test_a_module_in_the_working_folder_is_found(tmp_path, monkeypatch):
    text = (Path(__file__).parent / "own_network.py").read_text()
    (tmp_path / "network_of_mine.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(tmp_path))])
    assert load_encoder("module:network_of_mine:Pooled", size=8).info.dim == 3


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("", "encoder must be given as module:package.module:factory, got 'module:'"),
        ("own_network", "encoder must be given as module:package.module:factory"),
        ("no_such_module:Net", "must be importable, got: No module named 'no_such_module'"),
        ("own_network:Missing", "must be importable, got: module 'own_network' has no attribute 'Missing'"),
        ("own_network:not_callable", "must be a function or class in own_network, got 3"),
        ("own_network:not_a_network", "must return a torch.nn.Module, got str"),
        (
            "own_network:WrongDim",
            "dim of own_network:WrongDim must be what the network gives, got 8 and a feature of 7",
        ),
        ("own_network:Picky", "must take frames of shape .*, got: only 112 pixels here"),
        ("own_network:Grid", r"must give features \(B, D\) or \(B, tokens, D\), got \(1, 3, 16, 32, 32\)"),
    ],
)
def test_what_does_not_fit_is_refused(path, message):
    with pytest.raises(InputError, match=message):
        load_encoder(f"module:{path}", size=20 if "Wrong" in path else 32)
