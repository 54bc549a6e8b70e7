"""Files of features that want more than to be read: other files, or all memory."""

from __future__ import annotations

import zipfile

import h5py
import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.store.files import import_features


def refused(path, tmp_path, words):
    with pytest.raises(InputError, match=words):
        import_features(path, tmp_path / "store", progress=False)
    assert not (tmp_path / "store" / "manifest.json").exists()


@pytest.fixture
def secret(tmp_path):
    path = tmp_path / "secret.txt"
    path.write_bytes(b"s" * 160)
    return path


def test_a_dataset_in_another_file_is_never_read(tmp_path, secret):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_dataset("video", shape=(5, 8), dtype="f4", external=[(str(secret), 0, 160)])
    refused(path, tmp_path, "in another file")


def test_a_virtual_dataset_is_never_read(tmp_path):
    with h5py.File(tmp_path / "other.h5", "w") as file:
        file["x"] = np.ones((5, 8), np.float32)
    layout = h5py.VirtualLayout(shape=(5, 8), dtype="f4")
    layout[:] = h5py.VirtualSource(str(tmp_path / "other.h5"), "x", shape=(5, 8))
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file.create_virtual_dataset("video", layout)
    refused(path, tmp_path, "in another file")


@pytest.mark.parametrize("link", [h5py.SoftLink("/elsewhere"), h5py.ExternalLink("other.h5", "/x")])
def test_no_link_is_followed(tmp_path, link):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["video"] = np.ones((5, 8), np.float32)
        file["group/link"] = link
    refused(path, tmp_path, "never followed")


def test_a_group_that_holds_itself_ends(tmp_path):
    path = tmp_path / "a.h5"
    with h5py.File(path, "w") as file:
        file["group/video"] = np.ones((5, 8), np.float32)
        file["group/group"] = file["group"]
    assert import_features(path, tmp_path / "store", progress=False).videos == ["group/video"]


def test_an_array_that_fills_the_memory_is_refused(tmp_path):
    with h5py.File(tmp_path / "bomb.h5", "w") as file:
        file.create_dataset("video", shape=(10**9, 1000), dtype="f8", chunks=(1000, 1000))
    refused(tmp_path / "bomb.h5", tmp_path, "bytes in a file of")
    np.savez_compressed(tmp_path / "bomb.npz", video=np.zeros((1 << 15, 1 << 10), np.float32))
    refused(tmp_path / "bomb.npz", tmp_path, "bytes in a file of")
    with zipfile.ZipFile(tmp_path / "liar.npz", "w") as archive, archive.open("v.npy", "w") as file:
        header = {"descr": "<f4", "fortran_order": False, "shape": (10**12, 1000)}
        np.lib.format.write_array_header_1_0(file, header)
    refused(tmp_path / "liar.npz", tmp_path, "bytes in a file of")
    with open(tmp_path / "liar.npy", "wb") as file:
        np.lib.format.write_array_header_1_0(file, header)
    refused(tmp_path / "liar.npy", tmp_path, "needs more")


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"start_frame": np.array([0, -5, 32])}, "start_frame must be from 0"),
        ({"start_frame": np.array([0, 16, 16])}, "got 16 twice"),
        ({"start_frame": np.array([0, 16, 1 << 62])}, "start_frame must be from 0"),
        ({"clip": np.array([0, 1, -2])}, "clip must be from 0"),
        ({"time": np.array([0.0, 1.0, np.inf])}, "time must be at least 0"),
    ],
)
def test_impossible_places_of_clips_are_refused(tmp_path, columns, words):
    np.savez(tmp_path / "t.npz", video=np.array(["a"] * 3), feature=np.ones((3, 8), np.float32), **columns)
    with pytest.raises(InputError, match=words):
        import_features(tmp_path / "t.npz", tmp_path / "store", progress=False)


def test_two_views_may_begin_at_the_same_frame(tmp_path):
    columns = {"start_frame": np.array([0, 0, 16, 16]), "view": np.array(["x", "y", "x", "y"])}
    columns["clip"] = np.array([0, 0, 1, 1])
    np.savez(tmp_path / "t.npz", video=np.array(["a"] * 4), feature=np.ones((4, 8), np.float32), **columns)
    assert len(import_features(tmp_path / "t.npz", tmp_path / "store", progress=False)) == 4
