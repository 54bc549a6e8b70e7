"""Encoders through ONNX Runtime: exported once into the user cache, checked against torch whenever they are loaded."""

from __future__ import annotations

import hashlib
import logging
import shutil
import warnings
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib import import_module
from pathlib import Path

import torch
from torch import Tensor, nn

from latentveil import __version__
from latentveil.encoders.backends.base import Backend
from latentveil.encoders.base import Encoder
from latentveil.encoders.cache import cache_folder, fill_once
from latentveil.errors import InputError
from latentveil.types import EncoderInfo

MODEL_FILE = "model.onnx"
TOLERANCE = 1e-3


def run_by_onnx(encoder: Encoder) -> Encoder:
    """The same encoder with its network run by ONNX Runtime on the CPU, with as many threads as torch has now."""
    require_package("onnxruntime", purpose="backend onnx")
    folder = cache_folder() / "onnx" / export_key(encoder.info)
    if folder.is_dir():
        network = load_export(folder / MODEL_FILE)
        if network is not None and _difference_to_torch(encoder, network) <= TOLERANCE:
            return Encoder(network, encoder.info, backend="onnx")
        # The code of the network was edited since, which its weights do not show; or the file is damaged.
        with suppress(FileNotFoundError):  # another process may be removing it too
            shutil.rmtree(folder)
    require_package("onnxscript", purpose="backend onnx")
    with fill_once(folder) as fresh:
        export(encoder, fresh / MODEL_FILE)
        _require_agreement(encoder, OnnxNetwork(fresh / MODEL_FILE))
    return Encoder(OnnxNetwork(folder / MODEL_FILE), encoder.info, backend="onnx")


backend = Backend(
    name="onnx",
    about="ONNX Runtime on the CPU, exported once and checked against torch.",
    run=run_by_onnx,
    devices=("cpu",),
)


def export_key(info: EncoderInfo) -> str:
    """A folder name for the export: weights, frame size and all else that shapes the graph."""
    versions = f"latentveil {__version__} torch {torch.__version__}"
    return hashlib.sha256(f"{info} {versions}".encode()).hexdigest()[:32]


def export(encoder: Encoder, path: Path) -> None:
    """Write the network (B, 3, T, H, W) -> (B, D) to ``path``, B free."""
    info = encoder.info
    frames = torch.zeros(2, 3, info.clip_frames, info.frame_size, info.frame_size)
    with quiet_exporter():
        torch.onnx.export(
            encoder.network,
            (frames,),
            path,
            dynamo=True,
            dynamic_shapes=({0: torch.export.Dim("batch")},),
            input_names=["frames"],
            output_names=["features"],
            verbose=False,
        )


class OnnxNetwork(nn.Module):
    """An exported network as a module: frames (B, 3, T, H, W) in, features (B, D) out."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        import onnxruntime

        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = torch.get_num_threads()
        # Without a second try, which would tell of a damaged file on standard output.
        self.session = onnxruntime.InferenceSession(
            path, options, providers=["CPUExecutionProvider"], enable_fallback=0
        )

    def forward(self, frames: Tensor) -> Tensor:
        (features,) = self.session.run(["features"], {"frames": frames.numpy()})
        return torch.from_numpy(features)


def load_export(path: Path) -> OnnxNetwork | None:
    """The exported network in the cache, or None where its file is damaged: it is then made again."""
    try:
        return OnnxNetwork(path)
    except Exception:  # ONNX Runtime has a class of errors for every way in which a file can be wrong
        return None


def _require_agreement(encoder: Encoder, network: OnnxNetwork) -> None:
    """Refuse an export that does not compute what torch computes."""
    try:
        difference = _difference_to_torch(encoder, network)
    except Exception as error:  # the classes of onnxruntime are its own
        raise InputError(
            f"export of {encoder.info.name} to ONNX must take any number of clips, got: {error}. Write tensor.shape[0] "
            "where its forward has len(tensor), or use backend torch."
        ) from error
    if not difference <= TOLERANCE:
        raise InputError(
            f"export of {encoder.info.name} to ONNX must agree with torch to {TOLERANCE}, got {difference:.2g}. "
            "Use backend torch."
        )


@torch.inference_mode()
def _difference_to_torch(encoder: Encoder, network: OnnxNetwork) -> float:
    """How far the features of a random clip are from torch's, relative to the largest number; NaN if that is 0."""
    info = encoder.info
    generator = torch.Generator().manual_seed(0)
    frames = torch.randn(1, 3, info.clip_frames, info.frame_size, info.frame_size, generator=generator)
    expected, got = encoder(frames), network(frames)
    return ((got - expected).abs().max() / expected.abs().max()).item()


def require_package(package: str, *, purpose: str) -> None:
    """Refuse to go on where an optional package is missing."""
    try:
        import_module(package)
    except ImportError as error:
        raise InputError(
            f"{purpose} must have the package {package}, got none. Run `pip install latentveil[onnx]`."
        ) from error


@contextmanager
def quiet_exporter() -> Iterator[None]:
    """Without what torch's exporter says about itself: a deprecated pytree check, that torchvision is absent, and that
    two inputs have an axis in common.
    """
    registration = logging.getLogger("torch.onnx._internal.exporter._registration")
    level = registration.level
    registration.setLevel(logging.ERROR)
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", message=r".*LeafSpec.*is deprecated", category=FutureWarning)
            warnings.filterwarnings(
                "ignore", message=r"# The axis name: \w+ will not be used, since it shares"
            )
            yield
    finally:
        registration.setLevel(level)
