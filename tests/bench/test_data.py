"""Data for a bench: a store beside its labels, and principal components of training videos only."""

import numpy as np
import pytest

from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.errors import InputError


def test_a_folder_of_the_users_own(toy, write_store, tmp_path):
    write_store(tmp_path / "raw.store", toy.features)
    some = toy.labels.only(toy.labels.video[:10])
    some.write(tmp_path / "labels.csv")
    features, labels = load_bench_data(tmp_path)
    assert features.videos == sorted(some.video.tolist()) == sorted(labels.video.tolist())


@pytest.mark.parametrize("missing", ["raw.store", "labels.csv"])
def test_a_folder_without_either_says_what_it_must_hold(toy, write_store, tmp_path, missing):
    if missing != "raw.store":
        write_store(tmp_path / "raw.store", toy.features)
    rule = f"must be a folder with raw.store and labels.csv, got no {missing} in"
    with pytest.raises(InputError, match=rule):
        load_bench_data(tmp_path)


def test_the_layout_of_research_data_is_not_known_here(tmp_path):
    """`benchmarks/prepare_real.py` knows it; the wheel does not."""
    (tmp_path / "features").mkdir()
    (tmp_path / "features" / "lsa64.npz").touch()
    with pytest.raises(InputError, match=r"got no raw\.store"):
        load_bench_data(tmp_path)


def test_components_are_those_of_the_training_videos(toy):
    reduced = PrincipalComponents.fit(toy.features, toy.labels, 5).apply(toy.features)
    train = np.isin(toy.features.video, toy.labels.videos("train"))
    variance = reduced.feature[train].var(axis=0)
    np.testing.assert_allclose(reduced.feature[train].mean(axis=0), 0, atol=1e-4)
    covariance = np.cov(toy.features.feature[train].T, bias=True)
    np.testing.assert_allclose(variance, np.linalg.eigvalsh(covariance)[::-1][:5], rtol=1e-4)

    louder = toy.features.feature.copy()
    louder[~train] *= 100
    others_louder = toy.features.with_feature(louder)
    again = PrincipalComponents.fit(others_louder, toy.labels, 5).apply(others_louder)
    np.testing.assert_array_equal(again.feature[train], reduced.feature[train])
