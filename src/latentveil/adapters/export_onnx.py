"""An adapter as an ONNX file, for programs without torch."""

from __future__ import annotations

import json
import os
from pathlib import Path
from uuid import uuid4

import torch
from torch import Tensor, nn

from latentveil.adapters.adapter import Adapter, AdapterLike, as_adapter
from latentveil.adapters.network import NETWORKS, GroupedNetwork
from latentveil.encoders.backends.onnx import quiet_exporter, require_package
from latentveil.errors import InputError
from latentveil.files.places import local_path
from latentveil.notices import notify

TOLERANCE = 1e-5
METADATA_KEY = "latentveil"


def export_adapter(adapter: AdapterLike, path: str | Path) -> list[str]:
    """Write the adapter to ``path`` as an ONNX graph, checked against torch; returns the names of its inputs.

    Shapes: ``features`` (B, T, D) float32 and ``mask`` (B, T) bool, True where a clip is real, give ``anonymized``
    (B, T, D), 0 where padded; B and T are free. An adapter with noise takes it as a third input ``noise``, standard
    normal, (B, T, rank) or (B, 1, rank) as config.json says: a graph that drew its own would draw it from the clock,
    and whoever guesses the time could take it away. Noise per video must be the same for all of a video's rows. A clip
    without noise comes back as NaN. The file's metadata holds config.json. An adapter that treats videos by their group
    has no graph. A graph of the same adapter is found again.
    """
    for package in ("onnx", "onnxscript", "onnxruntime"):
        require_package(package, purpose="export to ONNX")
    path = local_path(path, name="onnx")
    if not path.parent.is_dir():
        raise InputError(f"{path} must be a new file in a folder that exists, got another place.")
    loaded = as_adapter(adapter)
    if isinstance(loaded.network, GroupedNetwork):
        raise InputError(
            f"adapter must treat all videos alike for ONNX, got {loaded.architecture!r}, which treats them by their "
            "group and their length. Use `veil apply` instead."
        )
    if path.exists():
        _require_same_graph(loaded, path)
        return list(_example(loaded, num_videos=1, num_clips=1))
    temporary = path.with_name(f".{path.name}.{uuid4().hex}.tmp")
    try:
        _write_graph(loaded, temporary)
        _check_against_torch(loaded, temporary)
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)
    return list(_example(loaded, num_videos=1, num_clips=1))


class _Graph(nn.Module):
    """An adapter's forward without data-dependent shapes and with its noise as an input."""

    def __init__(self, adapter: Adapter) -> None:
        super().__init__()
        self.adapter = adapter

    def forward(self, features: Tensor, mask: Tensor, noise: Tensor | None = None) -> Tensor:
        output = self._network(features, mask)
        if noise is not None:
            output = output + noise @ self.adapter.noise_factor.T
            forgotten = (noise == 0).all(dim=-1, keepdim=True)
            output = torch.where(forgotten, torch.nan, output)
        return torch.where(mask[..., None], output, 0.0)

    def _network(self, features: Tensor, mask: Tensor) -> Tensor:
        """The network on padded clips too, which the mask takes out in the end."""
        run_padded = NETWORKS.get(self.adapter.architecture).run_padded
        if run_padded is None:
            return self.adapter.network(features, mask)
        return run_padded(self.adapter.network, features, mask)


def _example(adapter: Adapter, *, num_videos: int, num_clips: int) -> dict[str, Tensor]:
    """Inputs of the graph by name: random, with a padded clip at the end of the last video if it has several."""
    generator = torch.Generator().manual_seed(0)
    mask = torch.ones(num_videos, num_clips, dtype=torch.bool)
    mask[-1, max(num_clips - 1, 1) :] = False
    inputs = {
        "features": torch.randn(num_videos, num_clips, adapter.dim, generator=generator),
        "mask": mask,
    }
    if adapter.config["noise_rank"]:
        inputs["noise"] = adapter.draw_noise(num_videos, num_clips, generator=generator)
    return inputs


def _require_same_graph(adapter: Adapter, path: Path) -> None:
    """Say that the graph is there already; refuse another file, which is never overwritten."""
    import onnxruntime

    try:
        session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"], enable_fallback=0)
        found = session.get_modelmeta().custom_metadata_map.get(METADATA_KEY)
    except Exception:  # onnxruntime has many words for a file that is no graph
        found = None
    if found != _metadata(adapter):
        raise InputError(
            f"{path} must be a new file, or hold this very adapter, got something else. "
            "Choose another place, or delete it."
        )
    notify(f"{path} holds this adapter already: nothing is written again.")


def _metadata(adapter: Adapter) -> str:
    """What a graph says of its adapter: config.json and the checksum of the weights."""
    return json.dumps(adapter.config | {"weights_sha256": adapter.sha256()})


def _write_graph(adapter: Adapter, path: Path) -> None:
    inputs = _example(adapter, num_videos=3, num_clips=5)
    batch, time = torch.export.Dim("batch"), torch.export.Dim("time")
    free = {
        name: {0: batch} if value.shape[1] == 1 else {0: batch, 1: time} for name, value in inputs.items()
    }
    with quiet_exporter(), torch.inference_mode():
        program = torch.onnx.export(
            _Graph(adapter).eval(),
            kwargs=inputs,
            dynamo=True,
            dynamic_shapes=free,
            input_names=list(inputs),
            output_names=["anonymized"],
            verbose=False,
        )
    assert program is not None
    program.model.metadata_props[METADATA_KEY] = _metadata(adapter)
    program.save(path, external_data=False)


@torch.inference_mode()
def _check_against_torch(adapter: Adapter, path: Path) -> None:
    """Refuse a graph that does not compute what torch computes, also for one clip and for other sizes."""
    import onnxruntime

    session = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"], enable_fallback=0)
    for num_videos, num_clips in ((1, 1), (2, 9)):
        inputs = _example(adapter, num_videos=num_videos, num_clips=num_clips)
        expected = _Graph(adapter).eval()(**inputs)
        (got,) = session.run(None, {name: value.numpy() for name, value in inputs.items()})
        difference = ((torch.from_numpy(got) - expected).abs().max() / expected.abs().max()).item()
        if not difference <= TOLERANCE:
            raise InputError(
                f"export to ONNX must agree with torch to {TOLERANCE}, got {difference:.2g}. "
                "Use `veil apply` instead, and report this."
            )
