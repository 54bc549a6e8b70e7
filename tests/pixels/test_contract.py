"""Every pixel method and detector keeps the contract of its kind, and the checks notice who does not."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from torch import nn

from latentveil.errors import PluginError
from latentveil.pixels.base import PIXEL_METHODS, PixelMethodName
from latentveil.pixels.detectors.base import Detector
from latentveil.pixels.fit import make_unlearned
from latentveil.testing import ContractBroken, check_detector, check_pixel_method
from tests.pixels.square import NAME as SQUARE
from tests.pixels.square import detector as square

UNLEARNED = [name for name in PIXEL_METHODS.names() if not PIXEL_METHODS.get(name).learned]


def test_type_checkers_know_our_methods():
    assert set(get_args(PixelMethodName)) == set(PIXEL_METHODS.names())


@pytest.mark.parametrize("name", UNLEARNED)
def test_methods_that_learn_nothing(name):
    check_pixel_method(name, changes=[f"detector={SQUARE}"] if name == "cover" else ())


def test_a_method_that_gives_something_else_is_told():
    broken = replace(PIXEL_METHODS.get("blur"), fit=lambda *_, **__: nn.Identity())
    with pytest.raises(PluginError, match="blur must give a PixelAnonymizer, got Identity"):
        make_unlearned(broken)


def broken_by(module):
    """The method blur with another module inside."""
    method = PIXEL_METHODS.get("blur")

    def fit(videos, settings, /, **options):
        anonymizer = method.fit(videos, settings, **options)
        anonymizer.network = module
        return anonymizer.eval()

    return replace(method, fit=fit)


class Brighter(nn.Module):
    def forward(self, clips):
        return clips + 0.5


class Careless(nn.Module):
    def forward(self, clips):
        return clips.mul_(0.5)


@pytest.mark.parametrize(
    ("module", "said"), [(Brighter(), r"numbers in \[0, 1\]"), (Careless(), "leave its input")]
)
def test_a_broken_method_is_noticed(module, said):
    with pytest.raises(ContractBroken, match=said):
        check_pixel_method(broken_by(module))


def test_the_square_is_a_detector():
    check_detector(square)


def finding(boxes):
    return Detector(
        name="broken", load=lambda _: lambda rgb, /, **__: np.array(boxes), about="Broken.", finds="nothing"
    )


@pytest.mark.parametrize(
    ("boxes", "said"),
    [
        ([[0.0, 0, 500, 5, 0.5]], "lie in the frame"),
        ([[0.0, 0, 5, 5, 7]], "scores from 0 to 1"),
        ([0.0, 0, 5, 5, 0.5], r"\(K, 5\)"),
        ([[5.0, 0, 0, 5, 0.5]], "left <= right"),
    ],
)
def test_a_broken_detector_is_noticed(boxes, said):
    with pytest.raises(ContractBroken, match=said):
        check_detector(finding(boxes))
