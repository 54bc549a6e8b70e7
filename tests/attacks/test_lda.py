"""Shrinkage LDA against scikit-learn's, which decomposes anew for each shrinkage."""

import numpy as np
import pytest
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from latentveil.attacks.base import LabelledFeatures
from latentveil.attacks.lda import lda_logits
from latentveil.attacks.preprocess import fit_preprocessing


@pytest.mark.parametrize("num_rows", [200, 20])
@pytest.mark.parametrize("shrinkage", [0.01, 0.5])
def test_agrees_with_scikit_learn(num_rows, shrinkage):
    random = np.random.default_rng(0)
    target = np.arange(num_rows) % 3
    feature = (random.normal(size=(num_rows, 30)) * np.linspace(0.1, 3, 30) + target[:, None]).astype(
        np.float32
    )
    setting = {"preprocessing": "none", "shrinkage": shrinkage}
    logits = lda_logits(LabelledFeatures(feature, target, target.astype(str)), setting, num_classes=3)(
        feature
    )

    changed = fit_preprocessing("none", feature)(feature).astype(np.float64)
    centred = np.concatenate([changed[target == c] - changed[target == c].mean(axis=0) for c in range(3)])
    covariance = centred.T @ centred / num_rows
    shrunk = (1 - shrinkage) * covariance + shrinkage * np.trace(covariance) / 30 * np.eye(30)
    estimator = type("Given", (), {"fit": lambda self, _: self, "covariance_": shrunk})()
    model = LinearDiscriminantAnalysis(solver="lsqr", covariance_estimator=estimator).fit(changed, target)
    expected = model.decision_function(changed)
    # Softmax does not see what is added to all logits of a row.
    np.testing.assert_allclose(
        logits - logits.mean(axis=1, keepdims=True),
        expected - expected.mean(axis=1, keepdims=True),
        rtol=1e-3,
        atol=1e-3,
    )
