"""The linear probe: exact folding, known answers, choice on validation, refusals."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression

from latentveil.errors import InputError
from latentveil.tasks import probes
from latentveil.tasks.probes import fit_linear_probe


def planted_classes(*, rows: int, num_classes: int, dim: int, seed: int, gap: float = 1.0):
    """Rows (N, D) around one mean per class, on axes of very different scales, and their classes (N,)."""
    rng = np.random.default_rng(seed)
    means = np.random.default_rng(0).normal(size=(num_classes, dim)) * gap
    targets = rng.integers(0, num_classes, rows)
    features = (means[targets] + rng.normal(size=(rows, dim))) * np.logspace(2, -2, dim) + 7
    return features.astype(np.float32), targets


def as_tensors(features, targets):
    return torch.from_numpy(features), torch.from_numpy(targets)


def test_learns_classes_that_differ_along_axes_of_little_variance():
    train, validation, test = (
        planted_classes(rows=300, num_classes=4, dim=20, seed=seed, gap=0.9) for seed in (1, 2, 3)
    )
    probe = fit_linear_probe(*train, *validation, seed=0)
    accuracy = (probe.logits(test[0]).argmax(1) == test[1]).mean()
    reference = LinearDiscriminantAnalysis().fit(*train).score(*test)
    assert accuracy >= reference - 0.02
    assert reference > 0.95


def test_layer_gives_the_logits_of_the_probe():
    train, validation = (planted_classes(rows=60, num_classes=3, dim=8, seed=seed) for seed in (1, 2))
    probe = fit_linear_probe(*train, *validation, seed=0)
    layer = probe.to_linear()(torch.from_numpy(validation[0])).detach().numpy()
    np.testing.assert_allclose(layer, probe.logits(validation[0]), rtol=1e-4, atol=1e-3)
    assert probe.weight.shape == (3, 8)


def test_discriminant_equals_sklearn_without_shrinkage(monkeypatch):
    monkeypatch.setattr(probes, "SHRINKAGES", (0.0,))
    features, targets = planted_classes(rows=200, num_classes=3, dim=4, seed=1)
    probe = next(probes._candidates(*as_tensors(features, targets), num_classes=3))
    reference = LinearDiscriminantAnalysis(solver="lsqr").fit(features, targets)
    ours = probe.logits(features) - probe.logits(features).mean(1, keepdims=True)
    theirs = reference.decision_function(features)
    theirs = theirs - theirs.mean(1, keepdims=True)
    # sklearn divides the pooled covariance by N as well, so the logits agree up to float32 rounding.
    np.testing.assert_allclose(ours, theirs, rtol=0.02, atol=0.05)


def test_logistic_path_reaches_the_optimum_of_sklearn():
    features, targets = planted_classes(rows=150, num_classes=3, dim=5, seed=1, gap=0.5)
    tensors = as_tensors(features, targets)
    probe = list(probes._candidates(*tensors, num_classes=3))[len(probes.SHRINKAGES) + len(probes.PENALTIES)]
    assert "standardised" in probe.description
    assert "0.1" in probe.description
    standardised = (features - features.mean(0)) / features.std(0)
    reference = LogisticRegression(C=1 / (0.1 * len(features)), max_iter=1000, tol=1e-8).fit(
        standardised, targets
    )
    expected = reference.decision_function(standardised)
    ours = probe.logits(features) - probe.logits(features).mean(1, keepdims=True)
    np.testing.assert_allclose(ours, expected - expected.mean(1, keepdims=True), atol=0.01)


def test_choice_is_the_best_candidate_on_validation_and_is_reported():
    train, validation = (
        planted_classes(rows=80, num_classes=3, dim=30, seed=seed, gap=0.25) for seed in (1, 2)
    )
    chosen = fit_linear_probe(*train, *validation, seed=0)
    candidates = list(probes._candidates(*as_tensors(*train), num_classes=3))
    accuracies = [(probe.logits(validation[0]).argmax(1) == validation[1]).mean() for probe in candidates]
    assert max(accuracies) > min(accuracies)
    assert (chosen.logits(validation[0]).argmax(1) == validation[1]).mean() == max(accuracies)
    assert chosen.description.endswith(f"validation accuracy {max(accuracies):.3f}")


def test_multi_label_columns_are_independent_logits():
    rng = np.random.default_rng(0)
    features = rng.normal(size=(400, 10)).astype(np.float32)
    targets = (features[:, :3] + 0.1 * rng.normal(size=(400, 3)) > [0, 0.5, 1]).astype(int)
    probe = fit_linear_probe(features[:200], targets[:200], features[200:], targets[200:], seed=0)
    assert ((probe.logits(features[200:]) > 0) == targets[200:]).mean() > 0.95
    for column in range(3):
        assert np.abs(probe.weight[column]).argmax() == column
        assert probe.weight[column, column] > 0


def test_same_seed_gives_the_same_probe_and_many_rows_are_thinned(monkeypatch):
    monkeypatch.setattr(probes, "MAX_ROWS", 50)
    train, validation = (
        planted_classes(rows=120, num_classes=2, dim=6, seed=seed, gap=0.3) for seed in (1, 2)
    )
    first, again, other = (fit_linear_probe(*train, *validation, seed=seed) for seed in (0, 0, 1))
    np.testing.assert_array_equal(first.weight, again.weight)
    assert not np.array_equal(first.weight, other.weight)


def test_constant_columns_and_a_class_seen_only_in_validation_leave_finite_logits():
    features, targets = planted_classes(rows=60, num_classes=2, dim=4, seed=1, gap=2.0)
    features[:, 0] = 3.0
    validation_targets = targets.copy()
    validation_targets[0] = 2
    probe = fit_linear_probe(features, targets, features, validation_targets, seed=0)
    logits = probe.logits(features)
    assert logits.shape == (60, 3)
    assert np.isfinite(logits).all()
    assert (logits[1:].argmax(1) == targets[1:]).mean() > 0.9


def test_a_matrix_that_single_precision_cannot_take_apart_is_taken_apart_in_double(monkeypatch):
    """A few videos of many actions gave one that LAPACK gave up on, and the bench with it."""
    train, validation = (planted_classes(rows=40, num_classes=3, dim=6, seed=seed) for seed in (1, 2))
    usual = fit_linear_probe(*train, *validation, seed=0)
    real = torch.linalg.eigh

    def gives_up(matrix):
        if matrix.dtype == torch.float32:
            raise torch.linalg.LinAlgError("failed to converge")
        return real(matrix)

    monkeypatch.setattr(torch.linalg, "eigh", gives_up)
    found = fit_linear_probe(*train, *validation, seed=0)
    np.testing.assert_allclose(found.logits(train[0]), usual.logits(train[0]), rtol=1e-2, atol=1e-2)


@pytest.mark.parametrize(
    ("features", "targets", "message"),
    [
        (np.zeros((4, 2)), np.zeros(3, int), "targets must be"),
        (np.zeros((4, 2)), np.array([0.0, 1.0, 0.0, 1.0]), "integer classes"),
        (np.zeros((4, 2)), np.array([0, -1, 0, 1]), "integer classes"),
        (np.full((4, 2), np.nan), np.array([0, 1, 0, 1]), "finite"),
        (np.zeros((4, 2)), np.zeros(4, int), "two classes"),
        (np.zeros((4, 3)), np.array([0, 1, 0, 1]), "must be like train"),
        (np.zeros(4), np.array([0, 1, 0, 1]), r"shape \(N, D\)"),
    ],
)
def test_refuses_what_cannot_be_fitted(features, targets, message):
    with pytest.raises(InputError, match=message):
        fit_linear_probe(features, targets, np.zeros((2, 2)), np.array([0, 1]), seed=0)
