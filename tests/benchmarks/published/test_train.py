"""Adapters start as the identity, every loss has a gradient, and each arm changes what it says."""

import numpy as np
import pytest
import torch
from torch import nn

from benchmarks.published.arms import ARMS
from benchmarks.published.data import Videos
from benchmarks.published.train import apply_adapter, batches, loss_terms, relative_change, train_adapter
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.initialise import make_identity


@pytest.fixture(scope="module")
def videos():
    random = np.random.default_rng(0)
    people = random.normal(size=(40, 1, 16)) + 3.0
    clips, stills = ((people + 0.3 * random.normal(size=(40, 2, 16))).astype(np.float32) for _ in range(2))
    return Videos(clips, stills, np.arange(40) % 4, np.arange(40) // 4)


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_starts_as_the_identity_and_moves(videos, name):
    trained = train_adapter(videos, ARMS[name], seed=0, steps=30, say=lambda _: None)
    assert trained.first["consistency"] == 0
    assert trained.last["task"] < trained.first["task"]
    rows = videos.stills[:, 0]
    assert 0 < relative_change(rows, apply_adapter(trained.adapter, rows, seed=0)) < 1


def test_the_budget_rises_more_where_it_is_trained(videos):
    found = {
        name: train_adapter(videos, ARMS[name], seed=0, steps=60, say=lambda _: None)
        for name in ("released", "budget off")
    }
    gained = {name: trained.last["budget"] - trained.first["budget"] for name, trained in found.items()}
    assert gained["released"] > 0.002 > gained["budget off"]


def test_every_term_reaches_the_adapter(videos):
    torch.manual_seed(0)
    adapter = Adapter(dim=16, architecture="released", heads=8, attends="batch")
    make_identity(adapter)
    for name in ("task", "budget"):
        terms = loss_terms(adapter, nn.Linear(16, 4), videos, ARMS["released"], np.random.default_rng(0))
        (gradient,) = torch.autograd.grad(terms[name], adapter.network.blocks[0].attention.project_out.weight)
        assert gradient.abs().max() > 0


def test_rows_change_each_other_over_the_batch_and_not_over_time(videos):
    rows = videos.stills[:, 0]
    for name, mixes in (("released", True), ("time", False)):
        adapter = train_adapter(videos, ARMS[name], seed=0, steps=5, say=lambda _: None).adapter
        together = apply_adapter(adapter, rows, seed=0)[:10]
        alone = apply_adapter(adapter, rows[:10], seed=0)
        assert np.allclose(together, alone, atol=1e-6) != mixes


def test_a_batch_holds_no_video_twice():
    for rows in batches(700, steps=5, seed=0):
        assert len(rows) == len(set(rows.tolist())) == 512
