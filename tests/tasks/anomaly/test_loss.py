"""The terms of MGFN's loss and their two sets of weights."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
import torch

from latentveil.losses.magnitude import magnitude_contrastive
from latentveil.tasks.anomaly.config import LossWeights, MGFNConfig
from latentveil.tasks.anomaly.loss import mgfn_terms, weighted_sum

ANOMALOUS = torch.tensor([False, True, False, True])


def terms_of(scores, *, weights: LossWeights, embedded=None, top_k: int = 1):
    embedded = torch.ones(4, 1, scores.shape[1], 2) if embedded is None else embedded
    config = replace(MGFNConfig.small(), top_k=top_k, weights=weights)
    return mgfn_terms(embedded, scores, ANOMALOUS, config=config, training=False)


def test_classification_reads_the_segments_of_greatest_magnitude():
    scores = torch.tensor([[0.1, 0.9], [0.8, 0.1], [0.2, 0.9], [0.6, 0.1]])
    embedded = torch.zeros(4, 1, 2, 2)
    embedded[:, :, 0] = 5.0  # the first segment of every video stands out
    terms = terms_of(scores, weights=LossWeights.code(), embedded=embedded)
    expected = -(math.log(0.9) + math.log(0.8) + math.log(0.8) + math.log(0.6)) / 4
    assert terms["classification"].item() == pytest.approx(expected, rel=1e-5)


def test_presets_look_at_the_videos_they_should():
    scores = torch.tensor([[0.0, 0.3], [0.4, 0.0], [0.0, 0.4], [0.3, 0.0]])
    scores[1] *= 2
    code, paper = terms_of(scores, weights=LossWeights.code()), terms_of(scores, weights=LossWeights.paper())
    assert code["smoothness"].item() == pytest.approx(0.09 + 0.64 + 0.16 + 0.09, rel=1e-5)
    assert paper["smoothness"].item() == pytest.approx(0.64 + 0.09, rel=1e-5)
    assert code["sparsity"].item() == pytest.approx(0.5, rel=1e-5)
    assert paper["sparsity"].item() == pytest.approx(0.8 + 0.3, rel=1e-5)


def test_presets_weigh_the_terms_as_published():
    terms = {name: torch.tensor(1.0) for name in ("classification", "smoothness", "sparsity", "magnitude")}
    assert weighted_sum(terms, LossWeights.code()).item() == pytest.approx(1 + 8e-4 + 8e-3 + 1e-3)
    assert weighted_sum(terms, LossWeights.paper()).item() == pytest.approx(1 + 1 + 1 + 1e-3)
    assert (LossWeights.code().between, LossWeights.paper().between) == (1e-3, 1.0)


def test_magnitude_term_stacks_crops_with_the_first_crop_of_every_video_first():
    torch.manual_seed(0)
    embedded = torch.randn(4, 3, 2, 5)  # three crops
    scores = torch.full((4, 2), 0.5)
    found = terms_of(scores, weights=LossWeights.code(), embedded=embedded, top_k=2)["magnitude"]
    places = torch.linalg.vector_norm(embedded, dim=-1).mean(1).argsort(1, descending=True)  # (B, K)
    stacks = {False: [], True: []}
    for crop in range(3):
        for video in range(4):
            stacks[bool(ANOMALOUS[video])].append(embedded[video, crop][places[video]])
    expected = magnitude_contrastive(
        torch.stack(stacks[False]), torch.stack(stacks[True]), margin=25.0, between_weight=1e-3
    )
    assert found.item() == pytest.approx(expected.item(), rel=1e-5)


def test_gradient_raises_scores_of_anomalous_and_lowers_those_of_normal_videos():
    scores = torch.full((4, 3), 0.5, requires_grad=True)
    terms_of(scores, weights=LossWeights.code(), top_k=3)["classification"].backward()
    assert (scores.grad[ANOMALOUS] < 0).all()
    assert (scores.grad[~ANOMALOUS] > 0).all()
