"""A calibrated head decides as before, and still has something to learn."""

import numpy as np
import pytest
import torch
from torch import nn

from latentveil.tasks.calibrate import LARGEST_MARGIN, calibrate


def make_part(*, seed, noise=0.1, multi_label=False):
    random = np.random.default_rng(seed)
    classes = np.arange(60) % 3
    features = (np.eye(3)[classes] + noise * random.normal(size=(60, 3))).astype(np.float32)
    return features, np.eye(3, dtype=np.int64)[classes] if multi_label else classes


def sure_head(*, bias=0.0):
    head = nn.Linear(3, 3)
    with torch.no_grad():
        head.weight.copy_(500 * torch.eye(3))
        head.bias.fill_(bias)
    return head


def test_a_head_that_is_too_sure_learns_to_doubt_and_decides_as_before():
    train, validation = make_part(seed=0), make_part(seed=1)
    features = torch.as_tensor(train[0])
    before = sure_head()(features).argmax(1)
    logits = calibrate(sure_head(), train, validation)(features).detach()
    assert torch.equal(logits.argmax(1), before)
    ordered = logits.sort(dim=1).values
    assert float((ordered[:, -1] - ordered[:, -2]).median()) <= LARGEST_MARGIN + 1e-3
    loss = nn.functional.cross_entropy(logits, torch.as_tensor(train[1]))
    assert 0.005 < float(loss) < 0.1


def test_validation_clips_that_are_often_wrong_make_it_doubt_more():
    train = make_part(seed=0)
    weights = [
        float(calibrate(sure_head(), train, make_part(seed=1, noise=noise)).weight.detach().abs().max())
        for noise in (0.1, 3.0)
    ]
    assert weights[1] < weights[0] / 2


def test_each_class_may_be_a_yes_or_no():
    train, validation = (make_part(seed=seed, multi_label=True) for seed in (0, 1))
    head = calibrate(sure_head(bias=-250.0), train, validation)
    margins = (2 * torch.as_tensor(train[1]) - 1) * head(torch.as_tensor(train[0])).detach()
    assert 1 < float(margins.median()) <= LARGEST_MARGIN + 1e-3


def test_a_head_that_doubts_enough_stays_as_it_is():
    train, validation = make_part(seed=0), make_part(seed=1)
    head = nn.Linear(3, 3)
    with torch.no_grad():
        head.weight.copy_(2 * torch.eye(3))
        head.bias.zero_()
    assert calibrate(head, train, validation).weight.abs().max().item() == pytest.approx(2)
