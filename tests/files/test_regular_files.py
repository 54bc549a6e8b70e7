"""Where a device or a pipe stands in place of a file, nothing is read from it, and no command waits for it."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest

import latentveil as lv
from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.errors import InputError
from latentveil.files.regular_files import read_file, require_regular_file
from latentveil.labels import Labels
from latentveil.pixels.apply import RewriteOptions, apply_pixels
from latentveil.pixels.fit import make_unlearned
from latentveil.pixels.request import read_spans
from latentveil.store.array_files import list_arrays
from latentveil.store.verify import find_problems
from latentveil.video.boxes import read_boxes
from latentveil.video.decode import open_video

NOT_REGULAR = "got a device or a pipe, which may never end"


@pytest.fixture
def device(tmp_path):
    """A link to a device that ends at once, so that who reads it fails and does not hang."""
    (tmp_path / "device.csv").symlink_to("/dev/null")
    return tmp_path / "device.csv"


@pytest.fixture
def pipe(tmp_path):
    os.mkfifo(tmp_path / "pipe.mp4")
    return tmp_path / "pipe.mp4"


def test_a_regular_file_and_nothing_at_all_pass(tmp_path):
    (tmp_path / "a").write_text("a")
    (tmp_path / "link").symlink_to(tmp_path / "a")
    for name in ("a", "link", "missing"):
        require_regular_file(tmp_path / name, what="a list")
    require_regular_file("s3://bucket/a", what="a list")
    assert read_file(tmp_path / "link", what="a list") == b"a"


def test_a_folder_is_told_to_be_one(tmp_path):
    with pytest.raises(InputError, match=r"must be a list, got a folder\. Give a regular file"):
        require_regular_file(tmp_path, what="a list")


def test_a_pipe_is_refused_without_opening_it(pipe):
    for read in (Labels.read, read_spans, read_boxes, open_video, lambda path: read_file(path, what="x")):
        with pytest.raises(InputError, match=NOT_REGULAR):
            read(pipe)


@pytest.mark.parametrize("read", [Labels.read, read_spans, read_boxes])
def test_a_device_is_no_csv_file(device, read):
    with pytest.raises(InputError, match=NOT_REGULAR):
        read(device)


def test_boxes_of_a_device_are_refused_before_a_frame_is_read(device, tmp_path):
    (tmp_path / "a.mp4").write_text("never opened")
    (tmp_path / "boxes.csv").write_text("video,frame,left,top,right,bottom\na,0,0,0,1,1\n")
    settings = ["detector=boxes", f"detector_options.file={tmp_path / 'boxes.csv'}"]
    cover = make_unlearned("cover", None, settings)
    with pytest.raises(InputError, match=NOT_REGULAR):
        apply_pixels(cover, tmp_path / "a.mp4", tmp_path / "out", options=RewriteOptions(boxes=device))


def test_a_shard_in_place_of_which_a_device_stands_is_refused_by_name(toy_folder, tmp_path):
    store = tmp_path / "store"
    shutil.copytree(toy_folder / "raw", store)
    shard = min(store.glob("shard-*"))
    shard.unlink()
    shard.symlink_to("/dev/null")
    (problem,) = find_problems(store)
    assert NOT_REGULAR in problem
    with pytest.raises(InputError, match=f"{shard.name} must be a shard, {NOT_REGULAR}"):
        lv.export_features(store, npz=tmp_path / "out.npz")


@pytest.mark.parametrize("name", ["config.json", "model.safetensors"])
def test_an_adapter_of_devices_is_refused(tmp_path, name):
    Adapter(dim=4, architecture="affine").save(tmp_path / "adapter")
    (tmp_path / "adapter" / name).unlink()
    (tmp_path / "adapter" / name).symlink_to("/dev/null")
    with pytest.raises(
        InputError, match=r"with config\.json, got none|must be the weights of a network, got a device"
    ):
        load_adapter(tmp_path / "adapter")
    with pytest.raises(InputError):
        lv.apply(tmp_path / "adapter", np.zeros((1, 4), np.float32))


def test_arrays_of_a_device_are_refused(tmp_path):
    (tmp_path / "a.npy").symlink_to("/dev/null")
    with pytest.raises(InputError, match=rf"a\.npy must be a readable \.npy file, {NOT_REGULAR}"):
        list_arrays(Path(tmp_path / "a.npy"))
