"""The promise of every attack: it finds what is planted, nothing in noise, and answers the same when asked again."""

import numpy as np
import pytest
from scipy.stats import binom

from latentveil.attacks import load_attacks
from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures

ATTACKS = load_attacks()
# A secret that is the sign of a product is at chance for any single hyperplane.
NON_LINEAR = [
    attack for attack in ATTACKS if attack.name in ("boosted", "informed", "mlp", "neighbours", "retrieval")
]
DIM = 8


def knowledge_of(feature, target, *, raw=None, num_classes=None, clips_per_video=1):
    """The first rows as training, the next as validation, and the rest's (feature, video, target)."""
    rows = len(feature)
    video = np.array([f"v{row // clips_per_video:04d}" for row in range(rows)])
    train, validation, test = np.split(np.arange(rows), [rows * 3 // 5, rows * 4 // 5])
    raw = feature if raw is None else raw
    parts = [
        LabelledFeatures(values[part], target[part], video[part])
        for values in (feature, raw)
        for part in (train, validation)
    ]
    known = AttackerKnowledge(parts[0], parts[1], num_classes or target.max() + 1, parts[2], parts[3])
    return known, feature[test], video[test], target[test]


def accuracy(attack, feature, target, **kwargs):
    known, held_out, video, answer = knowledge_of(feature, target, **kwargs)
    answers = attack.run(known, held_out, video, seed=0)
    _, first = np.unique(video, return_index=True)
    return (answers.probabilities.argmax(axis=1) == answer[first]).mean()


def planted(num_classes, *, rows=300, seed=0):
    """Features (rows, DIM) whose mean depends on the class, under a common offset and in odd units."""
    random = np.random.default_rng(seed)
    target = random.integers(num_classes, size=rows)
    centres = 6 * np.eye(DIM)[:num_classes]
    feature = (centres[target] + random.normal(size=(rows, DIM)) + 3) * 1e-3
    return feature.astype(np.float32), target


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
@pytest.mark.parametrize("num_classes", [2, 5])
def test_finds_a_planted_secret(attack, num_classes):
    assert accuracy(attack, *planted(num_classes)) >= 0.95


@pytest.mark.parametrize("attack", NON_LINEAR, ids=lambda attack: attack.name)
def test_finds_a_secret_that_no_hyperplane_shows(attack):
    random = np.random.default_rng(1)
    corner = random.integers(2, size=(600, 2))
    feature = np.concatenate([4 * corner, np.zeros((600, 2))], axis=1) + 0.5 * random.normal(size=(600, 4))
    assert accuracy(attack, feature.astype(np.float32), corner[:, 0] ^ corner[:, 1]) >= 0.95


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_stays_at_chance_on_noise(attack):
    random = np.random.default_rng(2)
    feature = random.normal(size=(500, DIM)).astype(np.float32)
    target = np.arange(500) % 2
    low, high = binom.interval(0.999, 100, 0.5)
    assert low / 100 <= accuracy(attack, feature, target) <= high / 100


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_same_seed_same_answer(attack):
    feature, target = planted(3, rows=60, seed=3)
    known, held_out, video, _ = knowledge_of(feature, target)
    first, second = (attack.run(known, held_out, video, seed=5) for _ in range(2))
    np.testing.assert_array_equal(first.probabilities, second.probabilities)
    assert first.setting == second.setting


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_constant_features_give_the_class_frequencies(attack):
    target = np.array([0, 0, 1] * 20)
    raw = np.random.default_rng(4).normal(size=(60, DIM)).astype(np.float32)
    known, held_out, video, _ = knowledge_of(np.full((60, DIM), 7, dtype=np.float32), target, raw=raw)
    answers = attack.run(known, held_out, video, seed=0)
    np.testing.assert_allclose(answers.probabilities, np.tile([2 / 3, 1 / 3], (12, 1)))


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_copes_with_tiny_absent_and_unseen_classes_and_dead_dimensions(attack):
    feature, target = planted(4, rows=100, seed=5)
    feature[:, -1] = 0
    target[target == 3] = 2
    target[0], target[-1] = 3, 4  # one training clip of class 3; class 4 is in test only, class 5 nowhere
    known, held_out, video, answer = knowledge_of(feature, target, num_classes=6)
    answers = attack.run(known, held_out, video, seed=0)
    assert answers.probabilities.shape == (20, 6)
    ordinary = answer < 2
    assert (answers.probabilities.argmax(axis=1) == answer)[ordinary].mean() > 0.8


@pytest.mark.parametrize("attack", ATTACKS, ids=lambda attack: attack.name)
def test_pools_the_clips_of_a_video(attack):
    """One clip is too noisy to tell the class, ten clips together do."""
    random = np.random.default_rng(6)
    target = np.repeat(random.integers(2, size=100), 10)
    feature = random.normal(size=(1000, 4)) + 0.8 * target[:, None]
    assert accuracy(attack, feature.astype(np.float32), target, clips_per_video=10) >= 0.95


def test_lda_sees_a_tiny_direction_that_large_ones_drown():
    """The class sits in a direction a thousand times smaller than the rest and turned against the axes."""
    random = np.random.default_rng(7)
    target = random.integers(2, size=600)
    hidden = random.normal(size=(600, 16)) * 10
    hidden[:, 0] = (target - 0.5) * 0.02 + random.normal(size=600) * 0.002
    rotation, _ = np.linalg.qr(random.normal(size=(16, 16)))
    feature = (hidden @ rotation).astype(np.float32)
    lda = next(attack for attack in ATTACKS if attack.name == "lda")
    assert accuracy(lda, feature, target) >= 0.95
