"""How an encoder is asked for."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest
import torch

from latentveil import plugins
from latentveil.encoders import BACKENDS, ENCODERS, Backend, EncoderPlugin, load_encoder
from latentveil.errors import InputError


def test_an_encoder_is_a_file_that_assigns_one():
    assert ENCODERS.names() == ["i3d", "module", "tiny", "videomae", "vjepa2"]
    assert BACKENDS.names() == ["onnx", "torch"]


def tell(*, size, weights):
    raise InputError(f"asked for {size} and {weights}")


MINE = EncoderPlugin(name="mine", about="Says what it was asked for.", load=tell)


@pytest.mark.parametrize(
    ("name", "weights", "said"),
    [
        (MINE, None, "asked for 32 and None"),
        ("tests_encoders:MINE", None, "asked for 32 and None"),
        ("tests_encoders:MINE", "folder", "asked for 32 and folder"),
        ("tests_encoders:MINE:owner/name", None, "asked for 32 and owner/name"),
        ("mine", None, "asked for 32 and None"),
        ("mine:C:/folder", None, "asked for 32 and C:/folder"),
    ],
)
def test_another_packages_encoder_is_an_object_an_import_path_or_an_entry_point(
    name, weights, said, monkeypatch
):
    monkeypatch.setitem(sys.modules, "tests_encoders", sys.modules[__name__])
    point = EntryPoint("mine", "tests_encoders:MINE", "latentveil.encoders")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == point.group else [])
    with pytest.raises(InputError, match=f"^{said}$"):
        load_encoder(name, size=32, weights=weights)


@pytest.mark.usefixtures("here_importable")
def test_a_bare_factory_is_the_same_encoder_with_and_without_module(make_clips):
    """Or else features of one network would not fit into one store."""
    clips = make_clips(1, size=20, frames=4)
    plain, through_module = load_encoder("own_network:Tokens"), load_encoder("module:own_network:Tokens")
    assert plain.info == through_module.info
    assert torch.equal(plain.encode(clips), through_module.encode(clips))


def test_another_packages_backend_runs_the_network():
    seen = []
    backend = Backend(name="mine", about="Remembers.", run=lambda encoder: seen.append(encoder) or encoder)
    assert load_encoder("tiny", backend=backend) is seen[0]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "resnet"}, "encoder must be one of i3d, .*tiny.*, got 'resnet'"),
        ({"name": "base"}, "encoder must be one of"),
        ({"name": "videome:folder"}, "one of .*videomae.* got 'videome:folder': No module named 'videome'"),
        ({"name": "sys:path"}, "encoder must be of type EncoderPlugin, got list for sys:path"),
        ({"name": print}, "encoder must be of type EncoderPlugin, got builtin_function_or_method"),
        ({"name": "builtins:print", "weights": "b"}, "weights must be absent for encoder builtins:print"),
        ({"name": "tiny", "backend": "tensorrt"}, "backend must be one of onnx, torch, .*got 'tensorrt'"),
        ({"name": "tiny", "device": "abacus"}, "device must be cpu, cuda, .* got 'abacus'"),
        ({"name": "tiny", "backend": "onnx", "device": "cuda"}, "device must be cpu for backend onnx"),
        ({"name": "videomae:a", "weights": "b"}, "weights must be given once, got 'a' and 'b'"),
        ({"name": "tiny", "weights": "b"}, "weights must be absent for encoder tiny"),
        ({"name": "i3d", "weights": "b"}, "weights must be absent for encoder i3d"),
        ({"name": "tiny", "size": 16}, "size must be at least 32"),
        ({"name": "i3d", "size": 32}, "size must be at least 64"),
    ],
)
def test_wrong_requests_are_refused(arguments, message):
    with pytest.raises(InputError, match=message):
        load_encoder(**arguments)


def run_program(program):
    return subprocess.run([sys.executable, "-c", program], check=False).returncode


def test_names_are_known_without_torch():
    program = "import sys; from latentveil.encoders import ENCODERS; ENCODERS.names();"
    assert run_program(program + "sys.exit('torch' in sys.modules)") == 0


def test_transformers_is_imported_for_hub_models_only():
    program = "import sys; from latentveil.encoders import load_encoder; load_encoder('tiny');"
    assert (
        run_program(program + "sys.exit('transformers' in sys.modules or 'onnxruntime' in sys.modules)") == 0
    )
