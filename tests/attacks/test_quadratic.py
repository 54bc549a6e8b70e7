"""A Gaussian per class: written out for small numbers, and secrets that no mean tells."""

import numpy as np
import pytest
from scipy.stats import multivariate_normal

from latentveil.attacks import LDA, Quadratic
from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.quadratic import quadratic_logits
from latentveil.metrics.classification import average_precision, top1_accuracy


def labelled(feature, target):
    return LabelledFeatures(feature.astype(np.float32), target, np.arange(len(target)).astype(str))


def known_and_asked(feature, target):
    """A third to learn from, one to choose on, one to answer."""
    parts = [labelled(feature[start::3], target[start::3]) for start in range(3)]
    return AttackerKnowledge(*parts[:2], num_classes=int(target.max()) + 1), parts[2]


@pytest.mark.parametrize("num_rows", [90, 12])
@pytest.mark.parametrize("shrinkage", [0.1, 0.9])
def test_agrees_with_the_densities_of_scipy(num_rows, shrinkage):
    random = np.random.default_rng(0)
    target = np.arange(num_rows) % 3
    data = labelled(random.normal(size=(num_rows, 6)) * (1 + target[:, None]), target)
    found = quadratic_logits(data, 6, shrinkage, num_classes=3)(data.feature)

    white = data.preprocessing("whiten")(data.feature).astype(np.float64)
    for index in range(3):
        own = white[target == index]
        covariance = (1 - shrinkage) * np.cov(own.T, bias=True) + shrinkage * np.eye(6)
        density = multivariate_normal(own.mean(axis=0), covariance).logpdf(white)
        expected = np.log(1 / 3) + density + 3 * np.log(2 * np.pi)
        np.testing.assert_allclose(found[:, index], expected, rtol=1e-4, atol=1e-4)


def test_finds_a_secret_in_how_much_features_vary():
    """Both classes have the mean 0, so that linear attacks have nothing to go by."""
    random = np.random.default_rng(1)
    target = np.arange(600) % 2
    feature = random.normal(size=(600, 20))
    feature[:, :3] *= np.where(target, 3.0, 1.0)[:, None]
    knowledge, asked = known_and_asked(feature, target)
    found = {
        attack.name: average_precision(
            asked.target, attack.fit(knowledge, seed=0).probabilities(asked.feature)[:, 1]
        )
        for attack in (LDA(), Quadratic())
    }
    assert found["lda"] < 0.65
    assert found["quadratic"] > 0.85


def test_finds_people_whose_covariance_was_levelled():
    """What was fitted to a person's videos and taken away: the answer is the person that a video is least like."""
    random = np.random.default_rng(2)
    target = np.repeat(np.arange(6), 60)
    feature = random.normal(size=(360, 40))
    for person in range(6):
        own = feature[target == person]
        values, axes = np.linalg.eigh(own.T @ own / 60)
        feature[target == person] = own @ (axes / np.sqrt(values + 0.3)) @ axes.T
    order = random.permutation(360)
    knowledge, asked = known_and_asked(feature[order], target[order])
    fitted = Quadratic().fit(knowledge, seed=0)
    assert fitted.setting["turned_round"]
    assert top1_accuracy(asked.target, fitted.probabilities(asked.feature)) > 0.5
