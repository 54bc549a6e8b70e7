"""The contract of backends catches those that change the features, or hide that they ran them."""

from dataclasses import replace

import pytest
import torch
from torch import nn

from latentveil.encoders import Backend, Encoder
from latentveil.testing import ContractBroken, check_backend


class Through(nn.Module):
    """The network, with something done to its output (B, D)."""

    def __init__(self, network, change=lambda features: features):
        super().__init__()
        self.network, self.change = network, change

    def forward(self, frames):
        return self.change(self.network(frames))


def backend_of(run):
    return Backend(name="mine", about="For tests.", run=run)


def changed(change):
    return backend_of(lambda encoder: Encoder(Through(encoder.network, change), encoder.info, backend="mine"))


def renamed(encoder):
    return Encoder(encoder.network, replace(encoder.info, pooling="other"), backend="mine")


@pytest.mark.parametrize(
    ("backend", "said"),
    [
        (Backend(name="mine", about="", run=lambda encoder: encoder), "about of backend 'mine' must be"),
        (
            backend_of(lambda encoder: encoder.network),
            "must give a latentveil.encoders.Encoder, got TinyNetwork",
        ),
        (backend_of(lambda encoder: encoder), "must give an encoder that says so, got 'torch'"),
        (backend_of(renamed), "must leave the encoder's info as it is"),
        (
            changed(lambda features: 1.01 * features),
            "must agree with torch to 0.001, got a difference of 0.01 for 1",
        ),
        (changed(lambda features: features.half().flip(0)), "for 3 clips at once"),
    ],
)
def test_a_broken_promise_is_named(backend, said):
    with pytest.raises(ContractBroken, match=said):
        check_backend(backend)


def test_a_backend_that_keeps_its_promises_passes():
    check_backend(changed(torch.clone))
