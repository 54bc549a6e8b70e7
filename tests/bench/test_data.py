"""Data for a bench: a store beside its labels, and principal components of training videos only."""

import numpy as np
import pytest

from latentveil.bench.data import PrincipalComponents, load_bench_data
from latentveil.errors import InputError
from latentveil.store import Manifest, StoreWriter
from latentveil.types import EncoderInfo, Sampling


def test_a_folder_of_the_users_own(toy, tmp_path):
    encoder = EncoderInfo("toy", "0" * 64, toy.features.dim, 16, 64, (0.5,) * 3, (0.5,) * 3, "none")
    with StoreWriter(
        tmp_path / "raw.store", Manifest(encoder=encoder, sampling=Sampling(static_clips=3))
    ) as writer:
        writer.write_shard(toy.features)
        writer.finish()
    some = toy.labels.only(toy.labels.video[:10])
    some.write(tmp_path / "labels.csv")
    features, labels = load_bench_data(tmp_path, cache=tmp_path / "cache")
    assert features.videos == sorted(some.video.tolist()) == sorted(labels.video.tolist())
    assert not (tmp_path / "cache").exists()


def test_no_data_says_what_to_do(tmp_path):
    with pytest.raises(InputError, match="--data FOLDER or set LATENTVEIL_DATA"):
        load_bench_data(None, cache=tmp_path)


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
