"""ONNX Runtime gives what torch gives, exports once, and says so where it is not installed."""

from __future__ import annotations

import os
import shutil
import sys

import pytest
import torch

from latentveil.encoders import load_encoder
from latentveil.encoders.backends import onnx as onnx_backend
from latentveil.encoders.cache import cache_folder
from latentveil.errors import InputError


@pytest.mark.usefixtures("cache")
def test_onnx_equals_torch_for_any_batch(make_clips, capfd):
    by_torch, by_onnx = load_encoder("tiny"), load_encoder("tiny", backend="onnx")
    assert (by_torch.backend, by_onnx.backend) == ("torch", "onnx")
    assert by_onnx.info == by_torch.info
    for batch in (1, 3):
        clips = make_clips(batch, size=64)
        torch.testing.assert_close(by_onnx.encode(clips), by_torch.encode(clips), rtol=1e-3, atol=1e-4)
    assert capfd.readouterr() == ("", "")  # exporting says nothing: standard output belongs to --json


def test_exported_once_for_each_size(cache, monkeypatch):
    load_encoder("tiny", backend="onnx")
    before = os.listdir(cache / "onnx")
    monkeypatch.setattr(onnx_backend, "export", lambda *_: pytest.fail("exported twice"))
    load_encoder("tiny", backend="onnx")
    assert os.listdir(cache / "onnx") == before
    infos = load_encoder("tiny").info, load_encoder("tiny", size=96).info
    assert onnx_backend.export_key(infos[0]) in before
    assert onnx_backend.export_key(infos[1]) not in before


@pytest.mark.usefixtures("cache")
def test_threads_follow_torch():
    threads = torch.get_num_threads()
    try:
        for number in (1, 2):
            torch.set_num_threads(number)
            session = load_encoder("tiny", backend="onnx").network.session
            assert session.get_session_options().intra_op_num_threads == number
    finally:
        torch.set_num_threads(threads)


@pytest.mark.usefixtures("cache")
def test_an_export_that_disagrees_is_refused(tmp_path, monkeypatch):
    """An exporter that gets a layer wrong must not fill a store with other features."""
    right = load_encoder("tiny")
    exported = cache_folder() / "onnx" / onnx_backend.export_key(right.info)
    load_encoder("tiny", backend="onnx")
    with torch.no_grad():
        right.network.project.bias.add_(0.1)  # what was exported before is wrong for this one
    monkeypatch.setattr(
        onnx_backend, "export", lambda _, path: shutil.copytree(exported, path.parent, dirs_exist_ok=True)
    )
    monkeypatch.setenv("LATENTVEIL_CACHE", str(tmp_path))
    with pytest.raises(InputError, match=r"export of tiny to ONNX must agree with torch to 0\.001, got "):
        onnx_backend.run_by_onnx(right)
    assert os.listdir(tmp_path / "onnx") == []


@pytest.mark.usefixtures("here_importable")
def test_a_network_whose_code_was_edited_is_exported_again(tmp_path, make_clips, monkeypatch):
    monkeypatch.setenv("LATENTVEIL_CACHE", str(tmp_path))
    name, clips = "module:own_network:Pooled", make_clips(2, size=20)
    load_encoder(name, size=20, backend="onnx")
    import own_network

    monkeypatch.setattr(own_network.Pooled, "forward", lambda _, frames: 2 * frames.mean(dim=(2, 3, 4)))
    by_torch, by_onnx = load_encoder(name, size=20), load_encoder(name, size=20, backend="onnx")
    torch.testing.assert_close(by_onnx.encode(clips), by_torch.encode(clips), rtol=1e-3, atol=1e-4)
    assert len(os.listdir(tmp_path / "onnx")) == 1
    monkeypatch.setattr(onnx_backend, "export", lambda *_: pytest.fail("exported a third time"))
    load_encoder(name, size=20, backend="onnx")


def test_without_the_extra_the_error_names_it(monkeypatch):
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"pip install latentveil\[onnx\]"):
        load_encoder("tiny", backend="onnx")
