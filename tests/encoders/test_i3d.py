"""Inception-I3D against numbers that numpy alone computed from the original arrays, and on real people."""

from __future__ import annotations

from importlib import import_module

import numpy as np
import pytest
import torch

from latentveil.encoders import Encoder, load_encoder
from latentveil.encoders.i3d import SameMaxPool, same_padding


@pytest.fixture(scope="module")
def encoder(i3d_weights) -> Encoder:
    return load_encoder("i3d")


@pytest.fixture
def reference(request):
    """The script that made the stored numbers: its seeded clips, and where the numbers are."""
    request.getfixturevalue("here_importable")
    return import_module("make_i3d_reference")


def test_first_layers_equal_the_numpy_computation(encoder, reference):
    """Odd and even sides: both ways in which "SAME" pads."""
    clip = torch.from_numpy(reference.make_clip(reference.SMALL_SEED, reference.SMALL_SHAPE))
    cells = encoder.network.features[:5](encoder.normalise(clip[None]))  # (1, C, T, H, W)
    expected = torch.from_numpy(np.load(reference.REFERENCE)["first_layers"])  # (T, H, W, C)
    torch.testing.assert_close(cells[0].permute(1, 2, 3, 0), expected, rtol=1e-4, atol=1e-4)


def test_logits_and_feature_equal_the_numpy_computation(encoder, reference):
    clip = torch.from_numpy(reference.make_clip(reference.FULL_SEED, reference.FULL_SHAPE))
    cells = []
    handle = encoder.network.features.register_forward_hook(lambda *call: cells.append(call[-1]))
    logits = encoder.network.logits(encoder.normalise(clip[None]))
    handle.remove()
    stored = np.load(reference.REFERENCE)
    torch.testing.assert_close(logits[0], torch.from_numpy(stored["logits"]), rtol=1e-4, atol=1e-4)
    feature = cells[0].mean(dim=(2, 3, 4))[0]
    torch.testing.assert_close(feature, torch.from_numpy(stored["feature"]), rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize(
    ("length", "kernel", "stride", "expected"),
    [
        (224, 7, 2, (2, 3)),
        (223, 7, 2, (3, 3)),
        (16, 7, 2, (2, 3)),
        (56, 3, 2, (0, 1)),
        (7, 2, 2, (0, 1)),
        (9, 3, 1, (1, 1)),
    ],
)
def test_same_padding(length, kernel, stride, expected):
    assert same_padding(length, kernel, stride) == expected


@pytest.mark.parametrize("shape", [(8, 28, 28), (7, 9, 10), (1, 4, 5), (2, 7, 7)])
@pytest.mark.parametrize(("kernel", "stride"), [(3, 2), (3, 1), (2, 2)])
def test_max_pooling_pads_as_written_out(shape, kernel, stride):
    frames = torch.randn(1, 2, *shape, generator=torch.Generator().manual_seed(0))
    padding = [side for length in reversed(shape) for side in same_padding(length, kernel, stride)]
    padded = torch.nn.functional.pad(frames, padding, value=-torch.inf)
    expected = torch.nn.functional.max_pool3d(padded, kernel, stride)
    assert torch.equal(SameMaxPool((kernel,) * 3, (stride,) * 3)(frames), expected)


@pytest.mark.parametrize("row", [1, 4], ids=["temporal", "static"])
def test_features_of_real_people_equal_the_shipped_ones(encoder, data_folder, row):
    """Decoder and resampling differ a little; another clip of the same video is much farther away."""
    shipped = np.load(data_folder / "features" / "lsa64.npz")
    video, kind, start = (shipped[name][row] for name in ("video", "kind", "start_frame"))
    frames = read_frames(data_folder / "lsa64" / f"{video}.mp4")
    clip = np.stack(frames[start : start + 16] if kind == "temporal" else [frames[start]] * 16)
    feature, expected = encoder.encode(clip[None])[0].numpy(), shipped["feature"][row]
    distance = np.linalg.norm(feature - expected) / np.linalg.norm(expected)
    others = shipped["feature"][(shipped["video"] == video) & (np.arange(len(shipped["video"])) != row)]
    assert distance < 0.02
    assert distance < 0.25 * np.linalg.norm(others - expected, axis=1).min() / np.linalg.norm(expected)


def read_frames(path) -> list[np.ndarray]:
    """Frames at short side 256, centre 224, resampled by PIL, (224, 224, 3) uint8 each."""
    import av
    from PIL import Image

    frames = []
    with av.open(path) as container:
        for frame in container.decode(video=0):
            image = frame.to_image()
            width = round(image.width * 256 / image.height)
            image = image.resize((width, 256), Image.Resampling.BILINEAR)
            left = (width - 224) // 2
            frames.append(np.asarray(image.crop((left, 16, left + 224, 240))))
    return frames
