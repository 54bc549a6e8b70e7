"""Inversion brings a planted picture back, nothing out of nothing, and measures both by known formulas."""

from io import BytesIO

import numpy as np
import pytest
from PIL import Image

from latentveil.attacks.inversion import (
    InversionPart,
    InversionResult,
    inversion_picture,
    psnr,
    run_inversion,
    ssim,
)
from latentveil.errors import InputError

PARTS = (slice(0, 50), slice(50, 60), slice(60, 80))


def scene(change, *, seed=0):
    """Frames that are a linear map of an 8-d feature; class 1 is brighter in its upper half."""
    random = np.random.default_rng(seed)
    target = np.arange(80) % 2
    feature = random.normal(size=(80, 8)).astype(np.float32)
    feature[:, 0] = 2.0 * target - 1
    patterns = random.normal(size=(8, 4, 4, 3))
    patterns[0] = 0
    patterns[0, :2] = 2
    frames = np.einsum("nd,dhwc->nhwc", feature, patterns).repeat(16, axis=1).repeat(16, axis=2)
    frames = np.clip(128 + 10 * frames, 0, 255).astype(np.uint8)
    anonymized = change(feature).astype(np.float32)
    video = np.array([f"v{row}" for row in range(80)])
    return [InversionPart(feature[p], anonymized[p], frames[p], target[p], video[p]) for p in PARTS]


def test_a_planted_picture_comes_back_and_an_invertible_change_stops_only_the_raw_decoder():
    result = run_inversion(*scene(lambda feature: np.roll(feature, 3, axis=1)), num_classes=2, seed=0)
    summary = result.summary()
    for kind in ("raw", "adaptive"):
        assert summary[kind]["psnr"] > 35
        assert summary[kind]["ssim"] > 0.95
        assert summary[kind]["accuracy"] > 0.95
    assert result.correct_on_originals.mean() > 0.95
    assert summary["non_adaptive"]["psnr"] < summary["mean_frame"]["psnr"]
    assert summary["non_adaptive"]["accuracy"] < 0.8


def test_nothing_comes_back_from_zeros():
    result = run_inversion(*scene(np.zeros_like), num_classes=2, seed=0)
    np.testing.assert_array_equal(result.reconstructions["adaptive"], result.reconstructions["mean_frame"])
    assert result.correct["adaptive"].mean() == 0.5


def test_psnr_by_hand():
    black = np.zeros((2, 4, 4, 3), dtype=np.uint8)
    other = black.copy()
    other[1] = 51  # a fifth of the range
    np.testing.assert_allclose(psnr(black, other), [100, 20 * np.log10(5)])


def test_ssim_by_hand():
    a = np.full((1, 16, 16, 3), 100, dtype=np.uint8)
    b = np.full((1, 16, 16, 3), 150, dtype=np.uint8)
    constant = (0.01 * 255) ** 2
    np.testing.assert_allclose(ssim(a, a), 1)
    np.testing.assert_allclose(ssim(a, b), (2 * 100 * 150 + constant) / (100**2 + 150**2 + constant))
    noise = np.random.default_rng(0).integers(0, 256, size=(1, 32, 32, 3)).astype(np.uint8)
    assert ssim(noise, 255 - noise)[0] < 0


def test_the_picture_shows_originals_and_every_reconstruction():
    frames = np.random.default_rng(0).integers(0, 256, size=(2, 7, 64, 64, 3)).astype(np.uint8)
    scores = {"raw": np.zeros(7)}
    result = InversionResult(scores, scores, scores, np.zeros(7), frames[0], {"raw": frames[1]})
    with Image.open(BytesIO(inversion_picture(result, num_columns=5, scale=1))) as picture:
        pixels = np.asarray(picture)
    assert pixels.shape == (2 * 64, 96 + 5 * 64, 3)
    np.testing.assert_array_equal(pixels[:64, 96:160], frames[0, 0])
    np.testing.assert_array_equal(pixels[64:, -64:], frames[1, -1])


def test_frames_of_another_size_are_refused():
    [part, *_] = scene(lambda feature: feature)
    with pytest.raises(InputError, match=r"64, 64, 3"):
        InversionPart(part.raw, part.anonymized, part.frames[:, :32], part.target, part.video)
