"""What every backend promises."""

import pytest

from latentveil.encoders import BACKENDS
from latentveil.testing import check_backend


@pytest.mark.usefixtures("cache")
@pytest.mark.parametrize("name", BACKENDS.names())
def test_keeps_the_contract(name):
    if name == "onnx":
        pytest.importorskip("onnxscript", reason="the extra latentveil[onnx] is not installed")
    check_backend(name)
