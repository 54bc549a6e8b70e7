"""One video has the same features from `veil extract`, from Python, and from ONNX, for every encoder that exports."""

from __future__ import annotations

import numpy as np
import pytest
from typer.testing import CliRunner

from latentveil.cli import main
from latentveil.encoders import ENCODERS, load_encoder
from latentveil.store import FeatureStore
from latentveil.types import Sampling
from latentveil.video.decode import open_video
from latentveil.video.reading import ClipFormat, read_clips
from latentveil.video.write import write_video
from tests.encoders.vit_reference import save_videomae_checkpoint, save_vjepa_checkpoints

LARGE = """
from latentveil.encoders.vit_checkpoints import read_videomae_checkpoint, read_vjepa_checkpoint


def internvideo():
    return read_videomae_checkpoint({internvideo!r}, heads=3, frames=4, size=16)


def vjepa():
    return read_vjepa_checkpoint({vjepa[0]!r}, {vjepa[1]!r}, heads=3, frames=4, size=16)
"""
# Every encoder of the package, with `module` as the recipes of docs/encoders.md have it.
NAMES = ["i3d", "tiny", "videomae", "vjepa2", "internvideo", "vjepa"]


@pytest.fixture(scope="module")
def video(tmp_path_factory):
    blocks = np.random.default_rng(0).integers(0, 256, (6, 8, 3), dtype=np.uint8)
    picture = blocks.repeat(12, axis=0).repeat(12, axis=1)  # (72, 96, 3)
    path = tmp_path_factory.mktemp("video") / "walk.mp4"
    write_video(path, (np.roll(picture, 2 * shift, axis=1) for shift in range(32)))
    return path


@pytest.fixture
def options(name, request, videomae_folder, vjepa2_folder, tmp_path, monkeypatch):
    """How to ask for the encoder, as options of `load_encoder`."""
    if name == "i3d":
        request.getfixturevalue("i3d_weights")
    files = {
        "internvideo": str(save_videomae_checkpoint(tmp_path / "internvideo.pth")),
        "vjepa": [str(path) for path in save_vjepa_checkpoints(tmp_path)],
    }
    (tmp_path / f"large_{name}.py").write_text(LARGE.format(**files))
    monkeypatch.syspath_prepend(tmp_path)
    return {
        "i3d": {"name": "i3d", "size": 64},
        "tiny": {"name": "tiny"},
        "videomae": {"name": f"videomae:{videomae_folder}"},
        "vjepa2": {"name": f"vjepa2:{vjepa2_folder}"},
    }.get(name, {"name": f"module:large_{name}:{name}"})


def extracted(video, store, options, *, backend):
    """The features that `veil extract` writes."""
    if not main.app.registered_commands:
        main._add_subcommands()
    size = ["--size", str(options["size"])] if "size" in options else []
    words = ["extract", str(video), "-o", str(store), "--encoder", options["name"], "--backend", backend]
    done = CliRunner().invoke(main.app, [*words, *size, "--static", "2", "--workers", "1"])
    assert done.exit_code == 0, done.output
    return FeatureStore(store).read()


def test_no_encoder_is_left_out():
    assert set(ENCODERS.names()) - {"module"} == set(NAMES) - {"internvideo", "vjepa"}


@pytest.mark.parametrize("name", NAMES)
def test_a_video_has_the_same_features_everywhere(name, options, video, tmp_path):
    encoder = load_encoder(**options)
    clip_format = ClipFormat(Sampling(static_clips=2), encoder.info.clip_frames, encoder.info.frame_size)
    clips = list(read_clips(open_video(video), "walk", clip_format=clip_format))
    expected = {
        (clip.place.kind, clip.place.clip): encoder.encode(clip.stacked(encoder.info.clip_frames)[None])[0]
        for clip in clips
    }
    for backend, tolerance in (("torch", 1e-4), ("onnx", 2e-3)):
        found = extracted(video, tmp_path / f"{backend}.store", options, backend=backend)
        assert len(found) == len(expected) > 3
        for kind, clip, feature in zip(found.kind.tolist(), found.clip.tolist(), found.feature):
            wanted = expected[kind, clip].numpy()
            np.testing.assert_allclose(feature, wanted, rtol=tolerance, atol=tolerance * np.abs(wanted).max())
