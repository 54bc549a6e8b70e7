"""An adapter in ONNX Runtime gives what it gives in torch, and never leaves out its noise."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
import torch
import typer
from typer.testing import CliRunner

from latentveil.adapters import export_onnx as exporting
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.export_onnx import METADATA_KEY, export_adapter
from latentveil.cli import export as export_cli
from latentveil.errors import InputError, Notice
from latentveil.sequences import pad_sequences

onnxruntime = pytest.importorskip("onnxruntime", reason="needs the extra onnx")

DIM = 16
ADAPTERS = {
    "attention": {"layers": 1, "heads": 4, "noise_rank": 3},
    "alone": {"architecture": "released", "layers": 1, "heads": 4, "attends": "none"},
    "batch": {"architecture": "released", "layers": 1, "heads": 4, "attends": "batch"},
    "mlp": {"architecture": "mlp", "layers": 1},
    "codebook": {"architecture": "codebook", "directions": 4, "prototypes": 5, "noise_rank": 3},
    "affine": {"architecture": "affine", "window": 3, "noise_rank": 2, "noise_per": "video"},
}


EXPORTED = ("attention", "codebook", "affine")  # an export takes seconds


def make_adapter(name):
    """An adapter whose every weight is in use."""
    torch.manual_seed(0)
    adapter = Adapter(dim=DIM, **ADAPTERS[name]).eval()
    with torch.no_grad():
        for value in adapter.state_dict().values():
            if value.is_floating_point():
                value.copy_(torch.randn_like(value).abs() / 4)
    return adapter


@pytest.fixture(scope="module", params=EXPORTED)
def exported(request, tmp_path_factory):
    """An adapter and a session of its graph."""
    adapter = make_adapter(request.param)
    folder = tmp_path_factory.mktemp("adapter")
    adapter.save_pretrained(folder / "adapter")
    export_adapter(folder / "adapter", folder / "adapter.onnx")
    assert sorted(path.name for path in folder.iterdir()) == ["adapter", "adapter.onnx"]
    return adapter, onnxruntime.InferenceSession(folder / "adapter.onnx", providers=["CPUExecutionProvider"])


def noise_for(adapter, features):
    return {"noise": adapter.draw_noise(*features.shape[:2])} if adapter.config["noise_rank"] else {}


def run(session, inputs):
    (output,) = session.run(["anonymized"], {name: value.numpy() for name, value in inputs.items()})
    return output


@pytest.mark.parametrize("name", ADAPTERS)
def test_the_graph_computes_what_the_adapter_computes(name):
    adapter = make_adapter(name)
    features, mask = pad_sequences([torch.randn(length, DIM) for length in (7, 2, 5, 1)])
    noise = noise_for(adapter, features)
    with torch.no_grad():
        found, wanted = exporting._Graph(adapter)(features, mask, **noise), adapter(features, mask, **noise)
    torch.testing.assert_close(found, wanted, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("lengths", [[1], [1, 1, 1], [4], [7, 2, 5, 1]])
def test_onnx_equals_torch_for_any_videos(exported, lengths):
    adapter, session = exported
    features, mask = pad_sequences([torch.randn(length, DIM) for length in lengths])
    noise = noise_for(adapter, features)
    with torch.no_grad():
        wanted = adapter(features, mask, **noise).numpy()
    found = run(session, {"features": features, "mask": mask} | noise)
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-5 * np.abs(wanted).max())
    assert (found[~mask.numpy()] == 0).all()


def test_forgotten_noise_gives_nothing_usable(exported):
    adapter, session = exported
    assert [value.name for value in session.get_inputs()] == ["features", "mask", "noise"]
    features, mask = torch.randn(2, 3, DIM), torch.ones(2, 3, dtype=torch.bool)
    noise = noise_for(adapter, features)["noise"]
    noise[1] = 0
    found = run(session, {"features": features, "mask": mask, "noise": noise})
    assert np.isfinite(found[0]).all()
    assert np.isnan(found[1]).all()


def test_the_file_says_what_it_is_for(exported):
    adapter, session = exported
    told = json.loads(session.get_modelmeta().custom_metadata_map[METADATA_KEY])
    assert len(told.pop("weights_sha256")) == 64
    assert told == adapter.config


def test_an_adapter_without_noise_takes_none():
    assert list(exporting._example(make_adapter("mlp"), num_videos=1, num_clips=1)) == ["features", "mask"]


def test_an_adapter_that_treats_videos_by_their_group_has_no_graph(tmp_path):
    adapter = Adapter(dim=DIM, architecture="transport", noise_rank=12, noise_per="video")
    with pytest.raises(InputError, match="must treat all videos alike for ONNX, got 'transport'"):
        export_adapter(adapter, tmp_path / "adapter.onnx")
    assert not list(tmp_path.iterdir())


def test_a_graph_that_disagrees_is_refused_and_leaves_no_file(tmp_path, monkeypatch):
    Adapter(dim=DIM, architecture="affine").save_pretrained(tmp_path / "adapter")
    real = exporting._write_graph

    def write_another(adapter, path, **options):
        other = Adapter(dim=DIM, architecture="affine")
        other.network.weight.mul_(1.001)
        real(other, path, **options)

    monkeypatch.setattr(exporting, "_write_graph", write_another)
    with pytest.raises(InputError, match=r"must agree with torch to 1e-05, got 0\.001"):
        export_adapter(tmp_path / "adapter", tmp_path / "a.onnx")
    assert [path.name for path in tmp_path.iterdir()] == ["adapter"]


def test_the_command_tells_what_to_do_with_the_noise(tmp_path, monkeypatch):
    app = typer.Typer()
    app.command()(export_cli.command)
    monkeypatch.setattr(exporting, "export_adapter", lambda *_: ["features", "mask", "noise"])
    done = CliRunner().invoke(app, [str(tmp_path), "--onnx", "a.onnx"])
    assert done.exit_code == 0, done.output
    assert "Draw the noise anew for every call" in done.stderr
    assert CliRunner().invoke(app, [str(tmp_path), "--onnx", "a.onnx", "--view", "x"]).exit_code != 0


def test_a_graph_is_found_again_and_never_replaced_by_another(tmp_path):
    first, other = make_adapter("affine"), make_adapter("affine")
    with torch.no_grad():
        other.network.weight.mul_(2)
    inputs = export_adapter(first, tmp_path / "a.onnx")
    graph = (tmp_path / "a.onnx").read_bytes()
    with pytest.warns(Notice, match="holds this adapter already: nothing is written again"):
        assert export_adapter(first, tmp_path / "a.onnx") == inputs
    with pytest.raises(InputError, match="must be a new file, or hold this very adapter, got something else"):
        export_adapter(other, tmp_path / "a.onnx")
    assert (tmp_path / "a.onnx").read_bytes() == graph


def test_an_existing_file_is_never_overwritten_and_the_extra_is_named(tmp_path, monkeypatch):
    make_adapter("affine").save_pretrained(tmp_path / "adapter")
    (tmp_path / "a.onnx").write_text("mine")
    with pytest.raises(InputError, match="must be a new file"):
        export_adapter(tmp_path / "adapter", tmp_path / "a.onnx")
    monkeypatch.setitem(sys.modules, "onnxruntime", None)
    with pytest.raises(InputError, match=r"pip install latentveil\[onnx\]"):
        export_adapter(tmp_path / "adapter", tmp_path / "b.onnx")
