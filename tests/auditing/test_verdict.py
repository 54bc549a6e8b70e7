"""A limit set beforehand: everything that was tested is held against it, and what is not known fails."""

from dataclasses import replace

import pytest

from latentveil.auditing.run import audit
from latentveil.auditing.verdict import judge
from latentveil.errors import InputError
from latentveil.report.card import privacy_card
from latentveil.report.page import render_html, render_markdown
from latentveil.types import Interval

QUICK = {"kinds": ["temporal"], "attacks": ["lda"], "tasks": None, "progress": False}


def test_the_upper_end_counts_by_hand(example_audit):
    """0.45 is the upper end, guessing 0.1: 0.35 of the 0.9 between guessing and certainty."""
    assert judge(example_audit, 0.39).passed
    verdict = judge(example_audit, 0.38)
    assert not verdict.passed
    assert verdict.exceeded == ["identity, read from stored clips: 33%, and up to 39%"]


def test_what_is_not_known_is_not_within_the_limit(example_audit):
    one = example_audit.secrets["identity"]
    nan = float("nan")
    unknown = replace(one, worst=replace(one.worst, anonymized=Interval(0.1, nan, nan)))
    verdict = judge(replace(example_audit, secrets={"identity": unknown}), 1.0)
    assert not verdict.passed
    assert verdict.unknown == ["identity, read from stored clips: no interval"]


def test_raw_features_fail_on_all_three_risks_and_a_constant_passes(toy):
    raw = toy.features
    found = audit(raw, raw, toy.labels, limit=0.5, **QUICK)
    told = " ".join(found.verdict.exceeded)
    for words in (
        "gender, read from",
        "identity, read from",
        "singling out with 1 known video",
        "people singled out for sure",
        "linkability, any recording, one video each",
        "linkability, any recording, videos pooled",
        "inference of gender",
    ):
        assert words in told
    constant = audit(raw, raw.with_feature(raw.feature * 0), toy.labels, limit=0.5, **QUICK)
    assert constant.verdict.passed
    assert str(constant).startswith("PASSED: nothing that was tested goes beyond the limit (50% of the way")


def test_where_nothing_was_tested_nothing_passes(toy):
    """Without names nobody can be linked, and who has the features alone has no labels to learn a secret from."""
    unnamed = replace(toy.labels, person=None)
    found = audit(toy.features, toy.features, unnamed, limit=1.0, recipient="all", **QUICK)
    of = {one.recipient.name: one.verdict for one in found.other_recipients}
    assert found.verdict.passed
    assert not of["features"].passed
    assert of["labels"].passed
    alone = replace(found, verdict=of["features"])
    assert "FAILED: nothing was tested that this recipient could find out" in str(alone)
    assert "FAILED (nothing was tested that this recipient could find out)" in render_markdown(found)


def test_kinds_of_clips_that_are_not_there_are_refused(toy):
    only = toy.features.of_kind("temporal")
    for kinds in ("static", "sttic"):
        with pytest.raises(
            InputError, match=f"kinds must be among those of the features .temporal., got {kinds}"
        ):
            audit(only, only, toy.labels, kinds=kinds, limit=0.5, attacks=["lda"], tasks=None, progress=False)


def test_the_verdict_is_on_the_page_and_on_the_card(example_audit):
    failed = replace(example_audit, verdict=judge(example_audit, 0.1))
    for text in (
        render_html(failed),
        render_markdown(failed),
        str(failed),
        privacy_card({"dim": 4, "architecture": "mlp"}, audit=failed),
    ):
        assert "FAILED: 1 of the tested numbers" in text
        assert "up to 39% of the way from guessing to certainty." in text
    assert "FAILED" not in render_html(example_audit)


def test_that_no_limit_was_set_is_said(example_audit):
    for text in (
        render_html(example_audit),
        render_markdown(example_audit),
        str(example_audit),
        privacy_card({"dim": 4, "architecture": "mlp"}, audit=example_audit),
    ):
        assert "No limit was set beforehand, so nothing here is passed or failed." in text


def test_a_limit_beyond_certainty_is_refused_before_anything_is_read():
    with pytest.raises(InputError, match="limit must lie between 0"):
        audit("nowhere", "nowhere", "nowhere.csv", limit=1.2)
