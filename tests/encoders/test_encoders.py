"""How an encoder is asked for."""

from __future__ import annotations

import subprocess
import sys

import pytest

from latentveil.encoders import encoder_names, load_encoder
from latentveil.errors import InputError


def test_an_encoder_is_a_file_with_a_load_function():
    assert encoder_names() == ["i3d", "module", "tiny", "videomae", "vjepa2"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"name": "resnet"}, "encoder must be one of i3d, .*tiny.*, got 'resnet'"),
        ({"name": "base"}, "encoder must be one of"),
        ({"name": "tiny", "backend": "tensorrt"}, "backend must be one of torch, onnx, got 'tensorrt'"),
        ({"name": "tiny", "device": "abacus"}, "device must be one that torch can use, got 'abacus'"),
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


def test_transformers_is_imported_for_hub_models_only():
    program = (
        "import sys; from latentveil.encoders import load_encoder; load_encoder('tiny');"
        "sys.exit('transformers' in sys.modules or 'onnxruntime' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
