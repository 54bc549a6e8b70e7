"""Noise for what is published: standard normal, and not to be drawn again by whoever tries every seed."""

import os

import numpy as np
import pytest
import torch
from scipy.stats import kstest

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.adapters.fresh_noise import fresh_noise
from latentveil.adapters.protect import protect
from latentveil.types import FeatureSet


def test_it_is_standard_normal():
    noise = fresh_noise(500, 2, 100)
    assert (noise.shape, noise.dtype) == ((500, 2, 100), torch.float32)
    assert kstest(noise.numpy().ravel(), "norm").pvalue > 1e-6
    assert abs(float((noise[:, 0] * noise[:, 1]).mean())) < 0.03
    assert fresh_noise(3, 1, 0).shape == (3, 1, 0)


@pytest.mark.parametrize(("bits", "value"), [(b"\x00", -8.2095), (b"\xff", 8.2095)])
def test_the_least_and_the_largest_numbers_are_finite(monkeypatch, bits, value):
    monkeypatch.setattr(os, "urandom", lambda count: bits * count)
    assert float(fresh_noise(1)) == pytest.approx(value, abs=1e-3)


def noisy(noise_per):
    adapter = Adapter(dim=4, architecture="affine", noise_rank=4, noise_per=noise_per).eval()
    adapter.noise_factor.copy_(torch.eye(4))
    return adapter


@pytest.mark.parametrize("noise_per", ["clip", "video"])
def test_no_seed_of_torch_gives_the_noise_of_a_release(monkeypatch, noise_per):
    """Its generator has 2^32 states to begin with, and `protect` drew from the one that `torch.manual_seed` sets."""
    again, other = (torch.randn(9, generator=torch.Generator().manual_seed(one)) for one in (7, 7 + 2**32))
    assert torch.equal(again, other)
    features = FeatureSet.from_arrays({"a": np.zeros((3, 4)), "b": np.zeros((2, 4))})
    monkeypatch.setattr(torch, "Generator", None)  # asked for none
    adapter, given = noisy(noise_per), []
    for _ in range(2):
        torch.manual_seed(0)
        given.append(torch.from_numpy(anonymize(adapter, features).feature))
        given.append(protect(torch.nn.Identity(), adapter)(torch.zeros(5, 4)))
    assert not torch.equal(given[0], given[2])
    assert not torch.equal(given[1], given[3])
