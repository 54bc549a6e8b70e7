import pytest

from latentveil.errors import InputError
from latentveil.tasks.detection.config import TriDetConfig


def test_defaults_are_the_recipe_for_thumos14():
    config = TriDetConfig()
    assert config.strides == (1, 2, 4, 8, 16, 32)
    assert config.reaches == ((0, 4), (4, 8), (8, 16), (16, 32), (32, 64), (64, 10_000))
    assert config.wide_kernel == 11
    assert config.length_multiple == 32
    assert config.epochs == 40


def test_one_level_reaches_everything():
    assert TriDetConfig(num_levels=1).reaches == ((0, 10_000),)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"width": 100}, "width must be a multiple"),
        ({"num_levels": 0}, "num_levels"),
        ({"window_kernel": 2}, "window_kernel must be odd"),
        ({"thresholds": ()}, "thresholds"),
        ({"thresholds": (0.5, 1.5)}, "thresholds"),
    ],
)
def test_refuses_what_cannot_be_built(wrong, message):
    with pytest.raises(InputError, match=message):
        TriDetConfig(**wrong)
