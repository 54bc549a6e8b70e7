"""Recipients hold more and more, say so, and are judged each by what they hold."""

from dataclasses import replace

import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.initialise import make_identity
from latentveil.attacks import ATTACKS
from latentveil.auditing.recipients import RECIPIENTS, STRONGEST, can_mount, find_recipient
from latentveil.auditing.result import load_audit
from latentveil.auditing.run import audit
from latentveil.errors import InputError
from latentveil.report.findings import findings
from latentveil.report.headline import headline
from latentveil.report.page import render_html, render_markdown
from latentveil.results.risks import RECIPIENT_NAMES

QUICK = {
    "kinds": ["temporal"],
    "attacks": ["informed", "lda", "paired"],
    "secrets": ["gender"],
    "tasks": None,
    "progress": False,
}


def test_each_holds_all_that_the_one_before_holds_and_more():
    held = [(one.has_labels, one.has_adapter, one.has_raw) for one in RECIPIENTS]
    assert held == sorted(held)
    assert len(set(held)) == len(held)
    assert all(held[-1])
    assert find_recipient("raw") == STRONGEST


def test_words_go_into_the_audit():
    for one in RECIPIENTS:
        words = one.in_words().to_dict()
        assert set(words) == {"name", "holds", "allows"}
        assert all(words.values())


def test_an_unknown_recipient_is_refused():
    with pytest.raises(InputError, match="features, labels, adapter, raw, all, got 'everybody'"):
        find_recipient("everybody")


def test_attacks_are_mounted_by_who_holds_what_they_learn_from():
    """An attack that learned from pairs or from draws counted against a recipient who has neither."""
    mounted = {
        one.name: [attack for attack in ("lda", "paired", "informed") if can(one, attack)]
        for one in RECIPIENTS
    }
    assert mounted == {
        "features": [],
        "labels": ["lda"],
        "adapter": ["lda", "paired", "informed"],
        "raw": ["lda", "paired", "informed"],
    }
    labels = find_recipient("labels")
    assert can_mount(labels, ATTACKS.get("informed"), redrawn=False)  # one copy is all there is


def can(recipient, attack):
    return can_mount(recipient, ATTACKS.get(attack), redrawn=True)


def test_the_names_that_reports_know_are_those_of_the_recipients():
    assert tuple(one.name for one in RECIPIENTS) == RECIPIENT_NAMES


@pytest.fixture(scope="module")
def asked_about_all(toy_noise):
    """An audit for all recipients, of people whom noise hides but for those who draw it again."""
    raw, safe, labels, adapter = toy_noise
    return audit(raw, safe, labels, adapter=adapter, recipient="all", limit=0.3, **QUICK)


@pytest.fixture(scope="module")
def toy_noise(toy):
    """The features with much noise per clip, and the adapter that made it."""
    adapter = Adapter(dim=toy.features.dim, architecture="affine", noise_rank=toy.features.dim)
    make_identity(adapter)
    adapter.noise_factor.copy_(2.0 * torch.eye(toy.features.dim))
    return toy.features, adapter.transform(toy.features, seed=7), toy.labels, adapter


def test_each_recipient_has_a_verdict_by_what_they_hold(asked_about_all):
    """One audit had one verdict, and attacks that a recipient could not mount failed it."""
    found = asked_about_all
    verdicts = {one.recipient.name: one.verdict for one in found.other_recipients}
    assert list(verdicts) == ["features", "labels", "adapter"]
    assert found.recipient.name == "raw"
    failed = {name: " ".join(one.exceeded + one.unknown) for name, one in verdicts.items()}
    assert "read from" not in failed["features"]
    assert "gender, read from stored clips" in failed["labels"]
    assert not any("raw videos" in told for told in failed.values())
    counted = {name: len(one.exceeded) + len(one.unknown) for name, one in verdicts.items()}
    assert counted["features"] < counted["labels"] <= counted["adapter"]
    assert len(found.verdict.exceeded) > counted["features"]


def test_what_a_recipient_cannot_mount_is_not_what_it_infers(asked_about_all):
    by_name = {one.recipient.name: one.risks.inference for one in asked_about_all.other_recipients}
    assert by_name["features"] == {}
    assert by_name["labels"]["gender"].anonymized.attack == "lda"
    best = asked_about_all.secrets["gender"].worst
    assert best.attack == by_name["adapter"]["gender"].anonymized.attack


@pytest.mark.parametrize("render", [render_html, render_markdown, str])
def test_the_verdicts_stand_side_by_side(asked_about_all, render):
    page = render(asked_about_all)
    assert "By recipient: features" in page
    assert "labels FAILED (" in page
    if render is not str:
        assert "One verdict for each recipient" in page
        assert "4 recipients, each by what they hold: features, labels, adapter, raw" in page
        assert "Recipients other than the one named above" not in page


def test_verdicts_survive_the_file(asked_about_all, tmp_path):
    assert load_audit(asked_about_all.save(tmp_path)) == asked_about_all


def test_an_audit_for_one_recipient_is_what_the_audit_for_all_says_of_it(toy_noise, asked_about_all):
    raw, safe, labels, adapter = toy_noise
    alone = audit(raw, safe, labels, adapter=adapter, recipient="labels", limit=0.3, **QUICK)
    [same] = [one for one in asked_about_all.other_recipients if one.recipient.name == "labels"]
    assert alone.risks == same.risks
    assert alone.verdict == same.verdict
    assert alone.other_recipients == []
    told = "\n".join(headline(alone))
    assert "take more than this recipient holds (informed, paired)" in told


def test_who_holds_features_alone_is_not_judged_by_attacks_that_learn_from_labels(toy):
    found = audit(toy.features, toy.features, toy.labels, recipient="features", limit=0.99, **QUICK)
    assert not any("read from" in told for told in found.verdict.exceeded)
    assert "which this recipient does not hold" in "\n".join(headline(found))


def test_an_audit_of_before_counts_every_attack(example_audit):
    """What was not recorded is not taken to be beyond anybody."""
    told = replace(example_audit, recipient=find_recipient("labels").in_words())
    assert [finding.name for finding in findings(told)] == ["identity, read from stored clips"]
