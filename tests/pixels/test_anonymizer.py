"""A pixel anonymizer takes clips of any precision, whatever its network has weights of."""

import pytest
import torch

from latentveil.errors import PluginError
from latentveil.pixels.anonymizer import PixelAnonymizer


@pytest.mark.parametrize("precision", [torch.float64, torch.float16, torch.bfloat16])
@pytest.mark.parametrize("network", ["unet", "unetpp"])
def test_any_precision_gives_about_the_same(network, precision):
    torch.manual_seed(0)
    made = PixelAnonymizer(
        architecture="trained", network=network, network_options={"width": 4}, size=32, frames=4
    ).eval()
    for size in (32, 41):
        clips = torch.rand(1, 3, 3, size, size)
        with torch.inference_mode():
            given, expected = made(clips.to(precision)), made(clips)
        assert given.dtype == precision
        assert torch.allclose(given.float(), expected, atol=0.01)


def test_a_network_that_changes_the_shape_is_refused():
    """A plug-in of somebody else: the sentence names it, where an assertion named our own line."""
    made = PixelAnonymizer(architecture="blur")
    made.network = torch.nn.Flatten(0, 1)
    with pytest.raises(
        PluginError, match=r"network blur must keep the shape of clips, \(1, 2, 3, 8, 8\), got \(2, 3"
    ):
        made(torch.rand(1, 2, 3, 8, 8))
