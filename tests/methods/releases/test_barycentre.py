"""Likes are found however the sizes of groups differ."""

import numpy as np
import pytest

from latentveil.errors import InputError
from latentveil.methods.releases import barycentre


def test_a_group_that_is_nearly_all_of_the_release_has_likes_in_the_others(monkeypatch):
    """Where the sample showed one group alone, every video became one and the same."""
    monkeypatch.setattr(barycentre, "MAX_COMPARED", 20)
    vectors = np.random.default_rng(0).normal(size=(2000, 3))
    group = (np.arange(2000) < 2).astype(int)
    apart = np.linalg.norm(vectors[:, None] - vectors[group == 1], axis=2).min(axis=1)
    for seed in range(5):
        found = barycentre.find_references(
            vectors, group, temperature=1.0, random=np.random.default_rng(seed)
        )
        assert 0 < found.temperature < np.square(apart).max()
        assert found.middle(vectors[:50]).std(axis=0).min() > 0.1
        factor = barycentre.likeness_noise(vectors, group, random=np.random.default_rng(seed))
        assert 0 < np.trace(factor) < apart.max() * 3


def test_one_group_alone_is_refused():
    vectors = np.random.default_rng(0).normal(size=(20, 3))
    with pytest.raises(InputError, match="groups must be two or more among videos with clips, got one"):
        barycentre.find_references(
            vectors, np.zeros(20, dtype=int), temperature=0.1, random=np.random.default_rng(0)
        )
