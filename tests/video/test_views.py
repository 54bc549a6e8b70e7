import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from latentveil.video.views import (
    Crop,
    clip_generator,
    random_crop,
    resize,
    training_view,
    validation_view,
)


def picture(height: int, width: int) -> np.ndarray:
    """Smooth shades with sharp edges and some noise, (H, W, 3)."""
    rng = np.random.default_rng(height * 10_000 + width)
    rows, columns = np.mgrid[:height, :width]
    shades = np.stack(
        [rows * 255 / height, columns * 255 / width, 255 * ((rows // 5 + columns // 7) % 2)], axis=-1
    )
    return np.clip(shades + rng.normal(scale=20, size=shades.shape), 0, 255).astype(np.uint8)


def differ(left: np.ndarray, right: np.ndarray) -> int:
    return int(np.abs(left.astype(int) - right.astype(int)).max())


@pytest.mark.parametrize(
    "shape", [(240, 320), (224, 398), (361, 203), (720, 1280), (60, 80), (224, 224), (33, 500)]
)
@pytest.mark.parametrize("size", [64, 224])
def test_validation_view_is_that_of_pillow(shape, size):
    frame = picture(*shape)
    height, width = shape
    short_side = round(size * 256 / 224)
    scale = short_side / min(shape)
    left, top = (round(width * scale) - size) // 2, (round(height * scale) - size) // 2
    whole = Image.fromarray(frame).resize(
        (round(width * scale), round(height * scale)), Image.Resampling.BILINEAR
    )
    expected = np.asarray(whole.crop((left, top, left + size, top + size)))
    assert differ(validation_view(frame, size), expected) <= 1


def test_validation_view_at_224_takes_the_centre_of_256():
    """With a short side of 256 there is nothing to resize: rows 16 to 239, columns (342 - 224) / 2 onwards."""
    frame = picture(256, 342)
    np.testing.assert_array_equal(validation_view(frame, 224), frame[16:240, 59:283])


@pytest.mark.parametrize("flip", [False, True])
def test_training_view_is_that_of_pillow(flip):
    frame = picture(240, 320)
    crop = Crop(top=30, left=100, height=150, width=180, flip=flip)
    part = Image.fromarray(frame).crop((100, 30, 280, 180)).resize((112, 112), Image.Resampling.BILINEAR)
    expected = np.asarray(part)[:, ::-1] if flip else np.asarray(part)
    assert differ(training_view(frame, 112, crop=crop), expected) <= 1


def test_shrinking_keeps_the_mean_where_plain_sampling_would_not():
    """A fine grid seen from afar is grey: without antialias it would be black or white."""
    frame = np.zeros((512, 512, 3), dtype=np.uint8)
    frame[::2] = 255
    inner = resize(frame, 64, 64)[8:-8]
    assert differ(inner, np.full_like(inner, 128)) <= 2


@settings(max_examples=200, deadline=None)
@given(height=st.integers(1, 400), width=st.integers(1, 400), seed=st.integers(0, 1000))
def test_a_random_crop_lies_in_the_frame_and_keeps_its_bounds(height, width, seed):
    crop = random_crop(height, width, rng=np.random.default_rng(seed), scale=(0.3, 0.9))
    assert 0 <= crop.top <= crop.top + crop.height <= height
    assert 0 <= crop.left <= crop.left + crop.width <= width
    assert crop.height >= 1
    assert crop.width >= 1
    if min(height, width) > 50 and 0.8 < height / width < 1.25:
        assert 0.28 < crop.height * crop.width / (height * width) < 0.92
        assert 0.72 < crop.width / crop.height < 1.39


def test_random_crops_cover_the_range_and_flip_half_of_the_time():
    rng = np.random.default_rng(0)
    crops = [random_crop(200, 200, rng=rng) for _ in range(2000)]
    shares = np.array([crop.height * crop.width / 40_000 for crop in crops])
    assert shares.min() < 0.1
    assert shares.max() > 0.95
    assert 0.46 < np.mean([crop.flip for crop in crops]) < 0.54


def test_a_frame_too_long_for_any_draw_gives_its_largest_central_part():
    crop = random_crop(30, 900, rng=np.random.default_rng(0), scale=(0.9, 1.0))
    assert (crop.top, crop.left, crop.height, crop.width) == (0, 430, 30, 40)


def test_a_clip_draws_from_its_place_alone():
    draws = {
        place: clip_generator(7, *place).random()
        for place in [
            ("a", "temporal", 0, "training-0"),
            ("a", "temporal", 0, "training-1"),
            ("b", "temporal", 0, "x"),
        ]
    }
    assert len(set(draws.values())) == 3
    assert (
        clip_generator(7, "a", "temporal", 0, "training-0").random()
        == draws["a", "temporal", 0, "training-0"]
    )
    assert (
        clip_generator(8, "a", "temporal", 0, "training-0").random()
        != draws["a", "temporal", 0, "training-0"]
    )
