"""The contract of encoders catches those that break it, and says how."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from latentveil.encoders import Encoder, EncoderPlugin
from latentveil.encoders.base import hash_weights
from latentveil.testing import ContractBroken, check_encoder
from latentveil.types import EncoderInfo


class Network(nn.Module):
    """Mixes the mean colours of the four frames: enough to keep the contract."""

    def __init__(self, *, seed=0):
        super().__init__()
        generator = torch.Generator().manual_seed(seed)
        self.register_buffer("weight", torch.randn(12, 5, generator=generator))

    def forward(self, frames):
        return frames.mean(dim=(3, 4)).flatten(1) @ self.weight


class Chancy(Network):
    def forward(self, frames):
        return super().forward(frames) + torch.rand(1)


class BatchBound(Network):
    def forward(self, frames):
        features = super().forward(frames)
        return features - features.mean(dim=0)


class Counting(Network):
    def __init__(self):
        super().__init__()
        self.register_buffer("calls", torch.zeros(()))

    def forward(self, frames):
        self.calls += 1
        return super().forward(frames)


class TimeBlind(Network):
    def forward(self, frames):
        return super().forward(frames[:, :, :1].expand_as(frames))


class Broken(Network):
    def forward(self, frames):
        return super().forward(frames) / 0


def encoder_of(network, **changes):
    sha256 = hash_weights(network.state_dict())
    info = EncoderInfo("mine", sha256, 5, 4, 16, (0.5,) * 3, (0.5,) * 3, "mean colours, mixed")
    return Encoder(network, replace(info, **changes))


def plugin_of(make, **changes):
    def load(*, size, weights):
        return make()

    return EncoderPlugin(**{"name": "mine", "about": "For tests.", "load": load} | changes)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: encoder_of(Network(), weights_sha256=""), "info.weights_sha256 of mine must be a SHA-256"),
        (lambda: encoder_of(Network(), pooling=""), "info.pooling of mine must say"),
        (lambda: encoder_of(Network(), mean=(0, 0, 0)), "must be three floats each"),
        (lambda: encoder_of(Broken()), "features of mine must be finite"),
        (lambda: encoder_of(Chancy()), "features of mine must be the same every time"),
        (lambda: encoder_of(BatchBound()), "must not depend on the other clips of a batch"),
        (lambda: encoder_of(Counting()), "weights of mine must stay as they are"),
        (lambda: encoder_of(TimeBlind()), "must tell a still from a movement"),
    ],
)
def test_a_broken_promise_is_named(make, said):
    with pytest.raises(ContractBroken, match=said):
        check_encoder(make())


def test_a_plugin_with_wrong_facts_is_refused():
    seeds = iter(range(10))
    whole = plugin_of(lambda: encoder_of(Network()))
    for plugin, said in (
        (replace(whole, about="no full stop"), "about of encoder 'mine' must be one sentence"),
        (
            replace(whole, load=lambda size, weights: None),
            "load of encoder 'mine' must be given by keyword only",
        ),
        (replace(whole, load=lambda **_: Network()), "must give a latentveil.encoders.Encoder, got Network"),
        (replace(whole, name="yours"), "info.name of encoder 'yours' must hold its name"),
        (plugin_of(lambda: encoder_of(Network(seed=next(seeds)))), "must have the same weights whenever"),
    ):
        with pytest.raises(ContractBroken, match=said):
            check_encoder(plugin)


def test_an_encoder_that_keeps_its_promises_passes():
    check_encoder(encoder_of(Network()))
    check_encoder(plugin_of(lambda: encoder_of(Network())))
