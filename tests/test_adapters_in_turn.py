"""One adapter behind another, store by store: a release that is treated as a set, then the words of a codebook."""

import numpy as np
import pytest

import latentveil as lv
from latentveil.errors import InputError, Notice


@pytest.fixture(scope="module")
def chain(toy_folder, tmp_path_factory):
    """The stores and adapters of a release with an adapter behind it: moved, safe, first, second."""
    folder = tmp_path_factory.mktemp("chain")
    lv.fit(
        toy_folder / "raw", toy_folder / "labels.csv", folder / "first", groups="person", release=True, seed=0,
        progress=False,
    )  # fmt: skip
    lv.apply(folder / "first", toy_folder / "raw", folder / "moved", forget=True, progress=False)
    with pytest.warns(Notice, match="features that the adapter 'first' made: this one goes behind it"):
        lv.fit(
            folder / "moved", toy_folder / "labels.csv", folder / "second", tasks=["action"], progress=False
        )
    lv.apply(folder / "second", folder / "moved", folder / "safe", progress=False)
    return folder


def audited(toy_folder, chain, **options):
    return lv.audit(
        toy_folder / "raw", chain / "safe", toy_folder / "labels.csv", attacks=["lda"], recipient=None, tasks=None,
        progress=False, **options,
    )  # fmt: skip


def test_the_second_adapter_remembers_what_it_goes_behind(chain):
    moved = lv.FeatureStore(chain / "moved").derived_from
    assert lv.load_adapter(chain / "second").config["behind"] == [moved.adapter_sha256]
    safe = lv.FeatureStore(chain / "safe")
    assert [one.adapter for one in safe.derived_from.passed] == ["first", "second"]
    assert not np.array_equal(safe.read().feature, lv.FeatureStore(chain / "moved").read().feature)


def test_it_is_audited_against_the_raw_store(toy_folder, chain):
    found = audited(toy_folder, chain)
    assert found.adapter.name == "first, then second"


def test_features_that_the_first_did_not_make_are_refused(toy_folder, chain, tmp_path):
    with pytest.raises(
        InputError, match=r"must hold features of the adapter .* goes behind .*, got raw ones"
    ):
        lv.apply(chain / "second", toy_folder / "raw", tmp_path / "safe")
    with pytest.raises(InputError, match=r"goes behind .*, got ones that 'second' made"):
        lv.apply(chain / "second", chain / "safe", tmp_path / "safe")
    with pytest.raises(InputError, match="must hold raw features, got ones that 'first' made"):
        lv.apply(chain / "first", chain / "moved", tmp_path / "safe")
    assert not (tmp_path / "safe").exists()


def test_an_attacker_with_the_second_adapter_alone_is_refused(toy_folder, chain):
    """It cannot make safe features of raw ones: an audit would have tried something that nobody can do."""
    with pytest.raises(InputError, match=r"adapter must be left out .* got first, second"):
        audited(toy_folder, chain, adapter=chain / "second")


def test_an_encoder_is_not_protected_by_half_of_it(chain):
    with pytest.raises(InputError, match="adapter must be fitted on raw features to go behind an encoder"):
        lv.protect(lambda clips: clips, chain / "second")


def test_videos_are_not_encoded_anew_for_it(toy_folder, chain, tmp_path):
    with pytest.raises(InputError, match="must hold raw features where videos are encoded anew"):
        lv.fit(chain / "moved", toy_folder / "labels.csv", preset="paper", videos=tmp_path)


def test_a_chain_from_other_features_is_refused(toy_folder, toy, write_store, chain, tmp_path):
    """The same encoder, videos and clips, but not the features that the first adapter was applied to."""
    write_store(tmp_path / "other", toy.features.with_feature(toy.features.feature + 1))
    with pytest.raises(
        InputError, match=r"moved must be made from .*other, got one made from other features"
    ):
        lv.audit(tmp_path / "other", chain / "safe", toy_folder / "labels.csv", progress=False)


def test_a_chain_whose_middle_is_gone_is_audited_with_a_notice(toy_folder, chain):
    moved = (chain / "moved").rename(chain / "away")
    try:
        with pytest.warns(Notice, match="is not there any more: whether it comes from"):
            audited(toy_folder, chain)
    finally:
        moved.rename(chain / "moved")
