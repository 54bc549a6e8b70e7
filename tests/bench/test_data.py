"""Data for a bench: a store beside its labels, and principal components of training videos only."""

import numpy as np
import pytest

from latentveil.bench.actors_data import ActorsData, prepare_actors
from latentveil.bench.data import BenchData, PrincipalComponents, load_bench_data
from latentveil.bench.recipe import known_recipes, load_recipe
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


def test_nothing_is_centred_unless_a_recipe_says_so(toy, write_store, tmp_path):
    """The published objective works on cosines, and taking the mean away makes other ones."""
    far = toy.features.with_feature(toy.features.feature + 10)
    write_store(tmp_path / "raw.store", far)
    toy.labels.write(tmp_path / "labels.csv")
    whole = BenchData.load(tmp_path).features.feature
    np.testing.assert_array_equal(np.sort(whole, axis=None), np.sort(far.feature, axis=None))
    as_is, reduced, centred = (
        _mean_cosine(BenchData.load(tmp_path, components=count, centred=centre).features.feature)
        for count, centre in ((0, False), (12, False), (12, True))
    )
    assert as_is > 0.9
    assert reduced == pytest.approx(as_is, abs=0.03)
    assert centred < 0.3


def _mean_cosine(feature):
    unit = feature / np.linalg.norm(feature, axis=1, keepdims=True)
    return float((unit @ unit.T).mean())


@pytest.mark.parametrize("name", known_recipes())
def test_no_recipe_centres_its_features(name):
    assert not load_recipe(name).centred


def test_actors_of_the_same_sets_in_other_numbers_have_a_folder_of_their_own():
    few = ActorsData(videos={"action": 8, "images": 8}, name="few")
    assert ActorsData().folder(quick=False) == "actors"
    assert few.folder(quick=False) == "actors-few"
    assert few.folder(quick=True) == ActorsData().folder(quick=True) == "actors-quick"


def test_more_test_actors_change_nothing_that_adapters_learn_from(tmp_path):
    few = {"videos": {"action": 12}, "encoder": "tiny", "clips": 1, "stills": 1}
    usual, more = (
        BenchData.load(prepare_actors(tmp_path / name, ActorsData(**few, **extra), workers=1))
        for name, extra in (("usual", {}), ("more", {"more_test": {"action": 5}}))
    )
    assert len(more.labels.video) == len(usual.labels.video) + 5
    added = np.isin(more.labels.video, usual.labels.video, invert=True)
    assert set(more.labels.split[added]) == {"test"}
    same = more.features.of_videos(usual.labels.video.tolist())
    np.testing.assert_array_equal(same.feature, usual.features.feature)
    with pytest.raises(InputError, match=r"more_test\.action is None there, got 5"):
        prepare_actors(tmp_path / "usual", ActorsData(**few, more_test={"action": 5}), workers=1)


def test_recipes_whose_actors_share_a_folder_need_the_same_of_them():
    wanted = {}
    for name in known_recipes():
        actors = load_recipe(name).actors
        for quick in (False, True):
            sizes = actors.quick if quick else (actors.videos, actors.more_test)
            made = (sizes, actors.encoder, actors.clips, actors.stills)
            assert wanted.setdefault(actors.folder(quick=quick), made) == made, name
