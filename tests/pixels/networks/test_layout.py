"""How weights lie in memory changes the speed of a network, not what it gives or what is saved of it."""

import copy

import torch
from torch import nn

from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.networks.base import channels_last


def test_channels_last_gives_the_same():
    frames, clips = torch.rand(2, 3, 12, 12), torch.rand(2, 3, 4, 12, 12)
    for network, given in ((nn.Conv2d(3, 5, 3), frames), (nn.Conv3d(3, 5, 3), clips)):
        before = network(given)
        assert torch.allclose(channels_last(network)(given), before, atol=1e-6)
    assert network.weight.is_contiguous(memory_format=torch.channels_last_3d)


def test_an_anonymizer_saves_the_same_weights_in_any_layout(tmp_path):
    made = PixelAnonymizer(
        architecture="trained", network="unet", network_options={"width": 2}, size=32, frames=2
    )
    weights = [value for value in made.parameters() if value.dim() == 4]
    assert all(value.is_contiguous(memory_format=torch.channels_last) for value in weights)
    other = copy.deepcopy(made)
    for value in other.parameters():
        value.data = value.data.contiguous()
    assert made.sha256() == other.sha256()
    made.save(tmp_path)
    loaded = PixelAnonymizer.from_pretrained(str(tmp_path))
    assert all(torch.equal(value, loaded.state_dict()[name]) for name, value in made.state_dict().items())
