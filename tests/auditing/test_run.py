"""The whole audit speaks of three risks: equal for raw against raw, guessing for a constant, and left out if wished."""

from dataclasses import replace
from shutil import copytree

import pytest

from latentveil.auditing.result import load_audit
from latentveil.auditing.run import audit
from latentveil.errors import UsageError
from latentveil.report.headline import headline, reservations
from latentveil.report.page import render_html, render_markdown, render_notebook
from latentveil.results.risks import Risks

QUICK = {"kinds": ["temporal"], "attacks": ["lda"], "tasks": None, "progress": False}


@pytest.fixture(scope="module")
def filmed(toy):
    """The toy's labels, every action filmed on a day of its own: motion is what recordings differ by."""
    return replace(toy.labels, recording=toy.labels.column("action"))


@pytest.fixture(scope="module")
def unchanged(toy, filmed):
    return audit(toy.features, toy.features, filmed, **QUICK)


@pytest.fixture(scope="module")
def constant(toy, filmed):
    return audit(toy.features, toy.features.with_feature(toy.features.feature * 0 + 1), filmed, **QUICK)


def test_raw_against_raw_is_equal_on_all_three_risks(unchanged):
    risks = unchanged.risks
    assert risks.singling_out.raw == risks.singling_out.anonymized
    assert risks.linkability.raw == risks.linkability.anonymized
    assert list(risks.inference) == ["gender"]
    assert risks.inference["gender"].raw == risks.inference["gender"].anonymized
    assert "scaling_only" in {flag.flag for flag in unchanged.flags}


@pytest.mark.parametrize("render", [str, render_html, render_markdown, render_notebook])
def test_that_nothing_was_changed_is_the_first_thing_said(unchanged, constant, render):
    said = "The audited features are the raw ones, unchanged: nothing was removed"
    assert unchanged.flags[0].flag == unchanged.to_dict()["flags"][0]["flag"] == "unchanged"
    assert headline(unchanged)[0].startswith(said)
    assert reservations(unchanged)[0].startswith(said)
    page = render(unchanged)
    assert page.index(said) <= page.index(headline(unchanged)[0][:50])
    assert "unchanged" not in {flag.flag for flag in constant.flags}
    assert said not in render(constant)


def test_a_store_against_a_copy_of_itself_is_audited_and_told(toy_folder, toy, tmp_path):
    copytree(toy_folder / "raw", tmp_path / "copy")
    found = audit(toy_folder / "raw", tmp_path / "copy", toy.labels, secrets=["gender"], **QUICK)
    assert found.data.raw_sha256 == found.data.anonymized_sha256
    assert str(found).startswith("The audited features are the raw ones, unchanged")


def test_without_the_adapter_no_recipient_is_said_to_hold_it(unchanged, toy, filmed):
    """The default recipient would hold it, but no attack had it."""
    told = " ".join(headline(unchanged))
    assert "the person looked for, but not the adapter, which this audit was not given." in told
    for render in (str, render_html, render_markdown):
        assert "the adapter, and raw videos" not in render(unchanged)
        assert "averaging noise away" not in render(unchanged)
    less = audit(toy.features, toy.features, filmed, recipient="adapter", secrets=["gender"], **QUICK)
    assert "raw videos and labels of other people, but not the adapter" in " ".join(headline(less))
    other = audit(toy.features, toy.features, filmed, recipient="labels", secrets=["gender"], **QUICK)
    assert f"who holds {other.recipient.holds}." in " ".join(headline(other))


def test_a_person_is_found_from_one_video_and_across_recordings(unchanged):
    risks = unchanged.risks
    assert risks.singling_out.anonymized[0].top1.low > 2 * risks.singling_out.chance
    assert risks.linkability.anonymized["other_recording"].video.auc.low > 0.6
    assert risks.linkability.raw_to_anonymized["other_recording"].video.auc.low > 0.6


def test_of_a_constant_all_three_risks_are_guessing(constant):
    risks = constant.risks
    assert [one.top1.value for one in risks.singling_out.anonymized] == pytest.approx(
        [risks.singling_out.chance] * len(risks.singling_out.anonymized)
    )
    assert risks.linkability.anonymized["other_recording"].video.auc.value == pytest.approx(0.5)
    gender = risks.inference["gender"]
    assert gender.anonymized.average.value == pytest.approx(gender.anonymized.chance)
    assert gender.raw.average.value > 0.8


def test_no_flag_is_there_twice(unchanged, constant):
    for found in (unchanged, constant):
        said = [(flag.flag, flag.why) for flag in found.flags]
        assert len(set(said)) == len(said)
        assert "too_few_people" in dict(said)


def test_an_audit_with_risks_reads_back_equal(unchanged, tmp_path):
    unchanged.save(tmp_path)
    found = load_audit(tmp_path)
    assert found == unchanged
    assert found.risks.linkability.raw["other_recording"].video.auc.value > 0.7


@pytest.mark.parametrize("render", [render_html, render_markdown, str])
def test_the_recipient_and_the_three_risks_are_said(unchanged, render):
    page = render(unchanged)
    for text in ("raw videos of the person looked for", "Singling out", "Linkability", "Inference"):
        assert text in page
    assert "When not to trust these numbers" in page


def test_without_a_recipient_the_risks_are_left_out_and_nothing_else(toy, filmed, unchanged):
    found = audit(toy.features, toy.features, filmed, recipient=None, **QUICK)
    assert found.risks == Risks()
    assert found.recipient is None
    assert found.secrets == unchanged.secrets
    assert "The three risks were left out" in render_markdown(found)


def test_who_has_nobodys_labels_infers_nothing(toy, filmed):
    found = audit(toy.features, toy.features, filmed, recipient="features", secrets=["gender"], **QUICK)
    assert found.recipient.name == "features"
    assert found.risks.inference == {}
    assert found.risks.singling_out is None
    assert found.risks.linkability.recipient == "features"


def test_an_unknown_recipient_is_refused_before_anything_is_read():
    with pytest.raises(UsageError, match="features, labels, adapter, raw, all, got 'anybody'"):
        audit("nowhere", "nowhere", "nowhere.csv", recipient="anybody")


def test_nobody_named_means_no_risks_and_that_is_said(toy):
    found = audit(toy.features, toy.features, replace(toy.labels, person=None), secrets=["gender"], **QUICK)
    assert found.risks == Risks()
    assert sum("the labels name nobody" in flag.why for flag in found.flags) == 2
    assert not any("people stand behind" in flag.why for flag in found.flags)


def test_a_single_name_is_one_name(toy):
    quick = QUICK | {"tasks": "action", "recipient": None}
    found = audit(toy.features, toy.features, toy.labels, secrets="gender", **quick | {"kinds": "temporal"})
    assert list(found.secrets) == ["gender"]
    assert list(found.tasks) == ["action"]
    assert found.secrets == audit(toy.features, toy.features, toy.labels, secrets=["gender"], **quick).secrets
