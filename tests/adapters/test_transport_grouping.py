"""The middle of all groups: the mean of likes, with or without the vector itself among them."""

import numpy as np
import pytest
import torch

from latentveil.adapters.transport_grouping import barycentre

GROUPS, PER_GROUP, ACTIONS, DIM = 8, 30, 16, 64


def by_loops(vectors, references, is_reference, temperature):
    """Group by group, like by like."""
    output = []
    for vector in vectors.tolist():
        likes = []
        for group, there in zip(references.tolist(), is_reference.tolist()):
            others = [one for one, is_one in zip(group, there) if is_one and not np.allclose(one, vector)]
            if others:
                weights = np.exp([-np.sum((np.array(one) - vector) ** 2) / temperature for one in others])
                likes.append(weights @ np.array(others) / weights.sum())
        output.append(np.mean(likes, axis=0))
    return np.array(output)


def test_agrees_with_plain_loops():
    random = torch.Generator().manual_seed(0)
    references = torch.randn(3, 4, 2, generator=random, dtype=torch.float64)
    is_reference = torch.tensor(
        [[True, True, True, True], [True, True, False, False], [True, False, True, True]]
    )
    strangers = torch.randn(2, 2, generator=random, dtype=torch.float64)
    vectors = torch.cat([references[:, 0], strangers])
    found = barycentre(vectors, references, is_reference, temperature=0.7, own=0.0)
    np.testing.assert_allclose(found, by_loops(vectors, references, is_reference, 0.7), atol=1e-12)


def test_a_value_by_hand():
    references = torch.tensor([[[0.0], [2.0]], [[1.0], [5.0]]])
    is_reference = torch.tensor([[True, True], [True, False]])
    found = barycentre(torch.tensor([[0.0]]), references, is_reference, temperature=1.0, own=0.0)
    assert found.item() == pytest.approx((2.0 + 1.0) / 2)  # not itself, and not what is no reference


def test_a_group_with_nothing_else_to_show_does_not_count():
    references = torch.tensor([[[1.0]], [[4.0]]])
    everything = torch.ones(2, 1, dtype=torch.bool)
    assert barycentre(torch.tensor([[1.0]]), references, everything, temperature=1.0, own=0.0).item() == 4.0
    assert barycentre(torch.tensor([[1.0]]), references, everything, temperature=1.0).item() > 1.0


def neighbours_of_own_group(middle):
    """How often the nearest other vector is of the same group; guessing is (n - 1) / (G n - 1)."""
    group = np.repeat(np.arange(GROUPS), PER_GROUP)
    distance = torch.cdist(middle, middle).numpy() + 1e9 * np.eye(len(group))
    return float((group[distance.argmin(axis=1)] == group).mean())


def test_likes_of_one_group_do_not_keep_apart():
    """Groups that differ in nothing are hardly told afterwards, in neither direction."""
    random = torch.Generator().manual_seed(1)
    action = torch.randint(ACTIONS, (GROUPS, PER_GROUP), generator=random)
    references = 3 * torch.randn(ACTIONS, DIM, generator=random)[action]
    references += torch.randn(GROUPS, PER_GROUP, DIM, generator=random)
    vectors, everything = references.flatten(0, 1), torch.ones(GROUPS, PER_GROUP, dtype=torch.bool)
    temperature = 0.1 * 1.5 * DIM  # of a typical distance between likes
    guessing = (PER_GROUP - 1) / (GROUPS * PER_GROUP - 1)
    middle = barycentre(vectors, references, everything, temperature=temperature, own=0.0)
    assert neighbours_of_own_group(middle) == pytest.approx(guessing, abs=0.06)
    own = barycentre(vectors, references, everything, temperature=temperature)
    assert neighbours_of_own_group(own) < guessing / 2
    half = barycentre(vectors, references, everything, temperature=temperature, own=0.5)
    torch.testing.assert_close(half, (own + middle) / 2)


def test_rounding_does_not_make_another_of_a_vector():
    random = torch.Generator().manual_seed(2)
    references = 100 + torch.randn(2, 5, 64, generator=random, dtype=torch.float64)
    everything = torch.ones(2, 5, dtype=torch.bool)
    vectors = references[0, :1]
    exact = barycentre(vectors, references, everything, temperature=1.0, own=0.0)
    rounded = barycentre(vectors.float(), references.float(), everything, temperature=1.0, own=0.0)
    np.testing.assert_allclose(rounded, exact, rtol=1e-3)
