"""The certificate: a bound where the adapter's noise gives one, a reason where not, and a test of the release."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.auditing.certificate import bound_of, certify
from latentveil.auditing.result import Audit
from latentveil.auditing.run import audit
from latentveil.errors import Notice
from latentveil.methods import codebook, identity
from latentveil.methods.base import TrainingData
from latentveil.methods.plan import load_config
from latentveil.metrics.gaussian_mechanism import sigma_for_advantage
from latentveil.report.card import privacy_card
from latentveil.report.page import render_html, render_markdown
from latentveil.tasks.action import ActionTask
from latentveil.types import STATIC, TEMPORAL, concatenate

ADVANTAGE = 0.3


@pytest.fixture(scope="module")
def make(toy):
    tasks = {"action": ActionTask(toy.features, toy.labels)}
    data = TrainingData(toy.features.of_videos(toy.labels.videos("train")), tasks)
    return lambda *changes: codebook.fit(data, load_config("veil", changes).settings)


@pytest.fixture(scope="module")
def certified(make):
    return make(f"erasure.certify={ADVANTAGE}")


@pytest.fixture(scope="module")
def one_still(toy):
    """The clips, and of the stills of each video the first."""
    return toy.features.select((toy.features.kind == TEMPORAL) | (toy.features.clip == 0))


def test_the_noise_that_was_asked_for_guarantees_what_was_asked_for(toy, certified, one_still):
    bound, why = bound_of(certified, one_still, toy.labels)
    assert why == ""
    assert bound.advantage == pytest.approx(ADVANTAGE, rel=1e-4)
    assert bound.accuracy == pytest.approx(0.65, rel=1e-4)
    assert bound.num_people == 8
    assert 1 / 8 < bound.identity < 0.5
    assert not bound.is_vacuous


def test_stills_that_share_a_draw_of_noise_tell_their_video_and_have_no_bound(toy, certified):
    """A bound was given: 65 % of two, 27 % of these 96. The differences of its stills tell every video."""
    stills = toy.features.of_kind(STATIC)
    held, published = (_between_stills(anonymize(certified, stills, seed=seed)) for seed in (1, 2))
    distance = np.linalg.norm(held[:, None] - published, axis=2)
    assert (distance.argmin(axis=1) == np.arange(len(held))).mean() == 1.0
    bound, why = bound_of(certified, toy.features, toy.labels)
    assert bound is None
    assert "several stills or views of one video" in why


def _between_stills(stills):
    """How the later stills of each video differ from the first, (V, 2 D)."""
    return np.stack([np.diff(stills.feature[rows], axis=0).ravel() for _, _, _, rows in stills.sequences()])


def test_views_that_share_a_draw_of_noise_have_no_bound_and_one_view_has(toy, certified):
    clips = toy.features.of_kind(TEMPORAL)
    assert bound_of(certified, clips, toy.labels)[0] is not None
    views = concatenate([clips, replace(clips, view=np.full(len(clips), "other"))])
    assert "several stills or views of one video" in bound_of(certified, views, toy.labels)[1]


def test_a_fit_says_when_no_bound_will_hold(make):
    with pytest.warns(Notice, match="erasure.certify must be used where one still and one view"):
        make(f"erasure.certify={ADVANTAGE}")


def test_no_two_videos_have_codes_farther_apart_than_the_bound_assumes(toy, certified):
    network = certified.network
    videos = [toy.features.feature[toy.features.video == name][:3] for name in toy.features.videos]
    wild = [
        50 * torch.randn(3, 24, generator=torch.Generator().manual_seed(seed)).numpy() for seed in range(40)
    ]
    batch = torch.from_numpy(np.stack([*videos, *wild]))
    codes = network.describe(batch, torch.ones(batch.shape[:2], dtype=torch.bool))[:, 0]
    apart = float(torch.cdist(codes, codes).max())
    noise = float(torch.linalg.svdvals(certified.noise_factor)[0])
    assert noise >= sigma_for_advantage(apart, ADVANTAGE, num_releases=2) * (1 - 1e-6)


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("erasure.noise=0", "draws no noise"),
        ("erasure.window=3", "clips of one video carry codes of their own"),
    ],
)
def test_what_gives_no_bound_says_why(toy, make, one_still, change, why):
    bound, reason = bound_of(make(change), one_still, toy.labels)
    assert bound is None
    assert why in reason


def test_other_adapters_and_no_adapter_have_no_bound(toy):
    data = TrainingData(toy.features, {})
    for adapter, why in ((identity.fit(data, None), "only a codebook"), (None, "not given")):
        assert why in bound_of(adapter, toy.features, toy.labels)[1]


def test_directions_without_noise_void_the_bound(toy, make, one_still):
    adapter = make("erasure.noise=1")
    adapter.noise_factor[:, 0] = 0
    assert "get no noise" in bound_of(adapter, one_still, toy.labels)[1]


def test_little_noise_is_called_vacuous(toy, make, one_still):
    bound, _ = bound_of(make("erasure.noise=0.01"), one_still, toy.labels)
    assert bound.is_vacuous


def test_people_are_told_in_raw_features_and_not_in_noise(toy):
    raw = toy.features
    noise = raw.with_feature(np.random.default_rng(0).normal(size=raw.feature.shape).astype(np.float32))
    [told] = certify(raw, raw, toy.labels, kind="temporal").exchangeability
    [untold] = certify(raw, noise, toy.labels, kind="temporal").exchangeability
    assert told.p_value < 0.01 < 0.05 < untold.p_value
    assert (told.groups, told.within, told.num_groups, told.num_videos) == ("person", "action", 8, 96)
    assert set(told.power) == {"0.1", "0.3"}
    assert told.scores[told.learner] > 3


def test_recordings_of_one_video_each_do_not_keep_people_from_being_tested(toy):
    labels = replace(toy.labels, recording=toy.labels.video)
    found = certify(toy.features, toy.features, labels, kind="temporal")
    assert [one.groups for one in found.exchangeability] == ["person"]
    assert found.why_not_tested.startswith("by recording, groups must be two or more with two videos or more")


def test_the_certificate_is_in_the_audit_on_the_page_and_on_the_card(toy, certified, one_still):
    safe = anonymize(certified, one_still, seed=0)
    found = audit(
        one_still,
        safe,
        toy.labels,
        adapter=certified,
        secrets=["gender"],
        kinds=["temporal"],
        attacks=["lda"],
        tasks=None,
        recipient=None,
        certify=True,
        progress=False,
    )
    assert Audit.from_dict(found.to_dict()).certificate == found.certificate
    card = privacy_card(certified.config, audit=found)
    for text in (render_html(found), render_markdown(found), card, str(found)):
        assert "more than 65% of the time" in text
        assert "permuted groups (p = " in text
