"""Attacks that compare every row with every known one answer the same in blocks, and never hold all pairs."""

import numpy as np
import pytest

from latentveil.attacks import blocks
from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.informed import Informed
from latentveil.attacks.neighbours import Neighbours
from latentveil.attacks.retrieval import Retrieval


def labelled(rows, random):
    target = np.arange(rows) % 3
    feature = random.normal(size=(rows, 6)) + 2 * np.eye(3, 6)[target]
    return LabelledFeatures(feature.astype(np.float32), target, np.array([f"v{row}" for row in range(rows)]))


@pytest.mark.parametrize("attack", [Neighbours(), Retrieval(), Informed()], ids=lambda a: a.name)
def test_blocks_do_not_change_the_answers(attack, monkeypatch):
    random = np.random.default_rng(0)
    train, validation, test = (labelled(rows, random) for rows in (60, 31, 23))
    knowledge = AttackerKnowledge(
        train, validation, 3, redrawn_train=(train,), redrawn_validation=(validation,)
    )
    found = []
    for pairs in (10**9, 7 * len(train), 1):
        monkeypatch.setattr(blocks, "BLOCK_PAIRS", pairs)
        found.append(attack.run(knowledge, test.feature, test.video, seed=0).probabilities)
    np.testing.assert_allclose(found[1], found[0], atol=1e-6)
    np.testing.assert_allclose(found[2], found[0], atol=1e-6)


def test_no_block_is_larger_than_it_may_be(monkeypatch):
    monkeypatch.setattr(blocks, "BLOCK_PAIRS", 100)
    sizes = []

    def logits(feature):
        sizes.append(len(feature))
        return np.zeros((len(feature), 2))

    asked = blocks.in_blocks(logits, num_known=30)
    assert asked(np.zeros((10, 4))).shape == (10, 2)
    assert asked(np.zeros((0, 4))).shape == (0, 2)
    assert max(sizes) == 3
