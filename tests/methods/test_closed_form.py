"""The closed forms do what they say: what is kept stays exactly, what is erased can no longer be read linearly."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.errors import InputError
from latentveil.methods import closed_form, scatter
from latentveil.methods.base import METHODS, TrainingData, load_method
from latentveil.methods.closed_form import matrix
from latentveil.methods.plan import load_config
from latentveil.tasks.action import ActionTask
from latentveil.tasks.build import build_tasks


def training_data(toy):
    videos = toy.labels.videos("train")
    tasks = {"action": ActionTask(toy.features, toy.labels)}
    return TrainingData(toy.features.of_videos(videos), tasks, toy.labels.only(videos))


def run(toy, method, *changes):
    data = training_data(toy)
    fast = ("adapter.layers=1", "adapter.heads=4", "train.epochs=2") if load_method(method).trained else ()
    adapter = load_config(changes=(*fast, *changes), method=method).fit(data)
    return adapter, anonymize(adapter, toy.features, seed=0)


@pytest.mark.parametrize("method", METHODS.names())
def test_every_method_gives_an_adapter_of_the_right_size(toy, method):
    adapter, result = run(toy, method)
    assert adapter.dim == toy.features.dim
    assert np.isfinite(result.feature).all()
    assert not adapter.training


@pytest.mark.parametrize("method", ["pca", "noise", "leace", "subspace", "discriminant", "codebook"])
def test_sums_of_small_blocks_give_the_adapter_of_all_rows_at_once(toy, method, monkeypatch):
    whole, _ = run(toy, method)
    monkeypatch.setattr(closed_form, "BLOCK_ROWS", 7)
    monkeypatch.setattr("latentveil.methods.subspace.BLOCK_ROWS", 7)
    monkeypatch.setattr(scatter, "BLOCK_STRETCHES", 5)
    in_blocks, _ = run(toy, method)
    for name, value in whole.state_dict().items():
        torch.testing.assert_close(in_blocks.state_dict()[name], value, rtol=1e-5, atol=1e-6)


def test_principal_axes_are_those_of_a_decomposition_of_all_rows():
    rows = torch.randn(40, 6, generator=torch.Generator().manual_seed(0)).double() * torch.arange(1, 7)
    _, _, axes = torch.linalg.svd(rows - rows.mean(dim=0))
    found = closed_form.principal_axes(rows, 3)
    torch.testing.assert_close((axes[:3] @ found).abs(), torch.eye(3).double(), atol=1e-9, rtol=0)
    assert closed_form.scale_of(rows) == pytest.approx(float(rows.var(dim=0).mean().sqrt()))


def test_identity_changes_nothing(toy):
    _, result = run(toy, "identity")
    np.testing.assert_array_equal(result.feature, toy.features.feature)


def test_noise_has_the_size_asked_for(toy):
    _, result = run(toy, "noise", "erasure.noise=2")
    clips, noisy = toy.features.of_kind("temporal").feature, result.of_kind("temporal").feature
    spread = np.sqrt(clips.var(axis=0).mean())
    assert (noisy - clips).std() == pytest.approx(2 * spread, rel=0.1)


@pytest.mark.parametrize("method", ["pca", "random_projection"])
def test_projections_keep_as_many_directions_as_asked_for(toy, method):
    _, result = run(toy, method, "erasure.keep=5")
    centred = result.feature - result.feature.mean(axis=0)
    assert np.linalg.matrix_rank(centred, tol=1e-3) == 5


def test_pca_keeps_more_variance_than_a_random_projection(toy):
    kept = [
        run(toy, method, "erasure.keep=5")[1].of_kind("temporal").feature.var()
        for method in ("pca", "random_projection")
    ]
    assert kept[0] > 1.5 * kept[1]


def test_after_leace_no_linear_probe_learns_the_secret(toy, read_accuracy):
    """A probe that knows only the classes' shares is the best there is: its loss has no gradient (a convex loss)."""
    data = training_data(toy)
    adapter, result = run(toy, "leace")
    gender = np.unique(data.labels.lookup("gender", data.features.video), return_inverse=True)[1]
    shares = torch.as_tensor(np.bincount(gender) / len(gender))
    wanted = torch.nn.functional.one_hot(torch.as_tensor(gender)).double()  # (N, C)

    def gradient(features):
        return float((features.T @ (shares - wanted) / len(features)).abs().max())

    raw = matrix(data.features)
    with torch.no_grad():
        erased = adapter.double()(raw[:, None])[:, 0]
    assert gradient(raw) > 0.1
    assert gradient(erased) < 1e-6
    assert read_accuracy(toy, result, "action") > 0.95


def test_leace_takes_a_blank_for_unknown_and_not_for_a_class(toy):
    data = training_data(toy)
    gender = data.labels.columns["secret_gender"].copy()
    gender[data.labels.column("action") == "action0"] = ""  # erased as a class, it would take an action along
    data = replace(data, labels=replace(data.labels, columns={"secret_gender": gender}))
    adapter = load_config(method="leace").fit(data)
    erased = torch.eye(adapter.dim) - adapter.network.weight
    assert torch.linalg.matrix_rank(erased, atol=1e-4) == 1
    shown = data.labels.lookup("gender", data.features.video)
    with torch.no_grad():
        rows = adapter.double()(matrix(data.features)[:, None])[:, 0]
    means = [rows[shown == value].mean(dim=0) for value in ("0", "1")]
    torch.testing.assert_close(means[0], means[1], atol=1e-5, rtol=0)


def test_subspace_erases_people_without_labels(toy, read_accuracy):
    data = TrainingData(toy.features.of_videos(toy.labels.videos("train")))
    adapter = load_config(changes=("erasure.stills=7", "erasure.noise=0"), method="subspace").fit(data)
    assert read_accuracy(toy, toy.features, "person") > 0.95
    assert read_accuracy(toy, anonymize(adapter, toy.features), "person") < 0.5


def test_subspace_refuses_tasks_whose_heads_are_not_linear(mixed):
    tasks = build_tasks(["anomaly"], mixed.features, mixed.labels, segments=mixed.segments)
    data = TrainingData(mixed.features.of_videos(mixed.labels.videos("train")), tasks)
    with pytest.raises(InputError, match="linear heads for the method subspace, got anomaly"):
        load_config(changes=["erasure.stills=2"], method="subspace").fit(data)


def test_subspace_keeps_what_the_head_reads(toy):
    _, result = run(toy, "subspace", "erasure.stills=7", "erasure.noise=0")
    head = training_data(toy).tasks["action"].fit_head(seed=0)
    with torch.no_grad():
        before, after = (head(torch.as_tensor(f.of_kind("temporal").feature)) for f in (toy.features, result))
    difference = (after - before) - (after - before).mean(dim=1, keepdim=True)
    assert difference.abs().max() < 1e-3


def test_subspace_noise_stays_out_of_what_the_head_reads(toy):
    adapter, _ = run(toy, "subspace", "erasure.noise=1")
    head = training_data(toy).tasks["action"].fit_head(seed=0)
    shown = head.weight.double() - head.weight.double().mean(dim=0)
    assert (shown @ adapter.noise_factor.double()).abs().max() < 1e-4
    assert adapter.noise_factor.abs().max() > 0.1


def test_an_oracle_without_labels_is_refused(toy):
    data = TrainingData(toy.features)
    for method in ("leace", "supervised"):
        with pytest.raises(InputError, match="labels must be given"):
            load_config(method=method).fit(data)


def test_an_unknown_method_is_refused():
    with pytest.raises(
        InputError,
        match=r"method must be one of codebook, .*, or package\.module:object, got 'magic'",
    ):
        load_method("magic")
