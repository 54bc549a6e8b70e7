"""The three risks on page, card and terminal: every number beside guessing, and no word that was not earned."""

from dataclasses import replace

import pytest

from latentveil.adapters.adapter import Adapter
from latentveil.auditing.verdict import judge
from latentveil.report.card import privacy_card
from latentveil.report.findings import risk_findings
from latentveil.report.headline import headline
from latentveil.report.mapping import mapping_rows, not_tested_in_words
from latentveil.report.page import render_html, render_markdown
from latentveil.report.risks import link_rows, risks_in_words
from latentveil.results.audit import Attacker
from latentveil.results.risks import (
    Inference,
    KnownVideos,
    Linkability,
    Links,
    LinkScore,
    PeopleInference,
    Recipient,
    Risks,
    SinglingOut,
)
from latentveil.types import Interval

CONFIG = Adapter(dim=8, heads=2).config


def around(value):
    return Interval(value, value - 0.05, value + 0.05)


def links(area, accepted=0.3):
    score = LinkScore(
        attacks=("cosine",),
        num_people=40,
        num_same=400,
        num_different=4000,
        auc=around(area),
        equal_error_rate=around(0.2),
        true_accept_at_1_percent=None if accepted is None else around(accepted),
        true_accept_at_01_percent=None,
        rank1=around(0.45),
        rank1_chance=0.06,
        reciprocal_rank=around(0.5),
        reciprocal_rank_chance=0.1,
    )
    return Links(score, score)


def sorts(area):
    return {
        "same_recording": links(area),
        "other_recording": links(area - 0.2, accepted=None),
        "any_recording": links(0.99),
    }


def known(values):
    return tuple(
        KnownVideos(number, ("cosine",), around(value), around(value / 2), 0.9)
        for number, value in zip((1, 2, 5, None), values)
    )


def people(average, worst):
    groups = {"dark": around(average + 0.05), "fair": around(average - 0.05)}
    return PeopleInference("hair_colour", "lda", 40, 0.5, around(average), worst, 0.77, groups)


@pytest.fixture
def risky(example_audit):
    return replace(
        example_audit,
        recipient=Recipient("raw", "everything there is", "every attack"),
        risks=Risks(
            SinglingOut(40, 200, 5, 0.025, known((0.6, 0.7, 0.8, 0.9)), known((0.11, 0.22, 0.33, 0.44))),
            Linkability("raw", sorts(0.9), sorts(0.81), sorts(0.72)),
            {"hair_colour": Inference(people(0.92, 1.0), people(0.63, 0.88))},
        ),
    )


def card(audit):
    return privacy_card(CONFIG, audit=audit)


@pytest.mark.parametrize("render", [render_html, render_markdown, card])
def test_every_number_is_there_beside_guessing(risky, render):
    page = render(risky)
    for text in (
        "Three risks",
        "holds everything there is. That allows every attack.",
        "0.11 [0.06, 0.16]",  # one known video, anonymized
        "0.44 [0.39, 0.49]",  # all known videos
        "0.025",
        "same recording",
        "0.81 [0.76, 0.86]",  # linked within a recording, anonymized
        "0.61 [0.56, 0.66]",  # and across recordings
        "0.72 [0.67, 0.77]",  # raw with anonymized
        "0.30 [0.25, 0.35]",  # found at 1 %
        "0.45 [0.40, 0.50]",  # first hit
        "0.06",
        "hair colour",
        "0.63 [0.58, 0.68]",
        "0.88",
        "0.77",
        "average person of group dark",
        "0.68 [0.63, 0.73]",  # one group may fare worse than the average
        "any recording",
        "0.99 [0.94, 1.04]",  # any recording: the headline names it, so it is in the table
    ):
        assert text in page


@pytest.mark.parametrize("render", [render_html, render_markdown, card])
def test_the_words_of_data_protection_are_mapped_without_a_claim(risky, render):
    page = render(risky)
    for text in (
        "WP29 Opinion 05/2014",
        "GDPR, recital 26",
        "means reasonably likely to be used",
        "6.2 threat modelling",
        "7.3.2 maximum and average risk",
        "8.2.3 adversarial testing",
        "EDPB Opinion 28/2024",
        "Not tested:",
        "It does not say that data are anonymous",
    ):
        assert text in page
    assert "complian" not in page.lower()


def test_what_was_not_measured_is_not_mapped_as_tested(risky):
    tested = {row.word: row.tested for row in mapping_rows(replace(risky, risks=Risks()))}
    for word in ("singling out", "linkability", "inference", "7.3.2 maximum and average risk"):
        assert tested[word] == "not tested"
    assert all("not tested" in told for told in risks_in_words(replace(risky, risks=Risks()))[1:])


def test_every_risk_that_headline_and_verdict_may_name_has_its_rows(risky):
    named = {finding.name for finding in risk_findings(risky.risks) if finding.name.startswith("linkability")}
    sides = {"anonymized": "linkability", "raw with anonymized": "linkability with raw videos"}
    rows = [row for row in link_rows(risky.risks) if row.compared in sides]
    assert named == {f"{sides[row.compared]}, {row.pairs}, {row.unit}" for row in rows}


def test_all_pairs_are_shown_where_recordings_are_not_known(risky):
    why = Links(why_not="the labels have no column 'recording'")
    unknown = {"same_recording": why, "other_recording": why, "any_recording": links(0.66)}
    risks = replace(risky.risks, linkability=Linkability("features", unknown, unknown))
    assert {(row.pairs, row.compared) for row in link_rows(risks)} == {
        ("any recording", "raw"),
        ("any recording", "anonymized"),
    }
    told = not_tested_in_words(replace(risky, risks=risks))
    assert "Other recording: not tested: the labels have no column 'recording'." in told


@pytest.mark.parametrize(("copies", "told"), [(0, "Further draws"), (4, "More than 4 further draws")])
def test_how_many_draws_of_the_noise_are_not_covered_is_said(risky, copies, told):
    assert not [line for line in not_tested_in_words(risky) if "draws of the noise" in line]
    noisy = replace(risky, attacker=Attacker(holds_adapter=True, redrawn_copies=4, copies_for_risks=copies))
    assert f"{told} of the noise, averaged, for singling out and linkability." in not_tested_in_words(noisy)


def test_a_terminal_gets_a_sentence_for_each_risk(risky):
    recipient, singling_out, linkability, inference = risks_in_words(risky)
    assert recipient.startswith('The recipient ("raw") holds everything there is.')
    assert "with 1 known video of each, 11% of videos are named (raw 60%)" in singling_out
    assert "guessing names 2%" in singling_out
    assert "other recording, are told to be of one stranger with an area of 0.61 (raw 0.70" in linkability
    assert "two halves of a person's videos, other recording, are told" in linkability
    assert "hair colour is right for 63% of the average person's videos and 88% of the worst's" in inference
    assert str(risky).count("\n  ") >= 4


def test_the_headline_names_the_largest_risk_that_is_left(risky):
    """Pooled videos that are all linked must not hide behind single ones that are not, nor behind a mean."""
    linked = risky.risks.linkability.anonymized["other_recording"]
    pooled = replace(linked.pooled, auc=Interval(0.99, 0.95, 1.0))
    by_pairs = risky.risks.linkability.anonymized | {"other_recording": replace(linked, pooled=pooled)}
    linkability = replace(risky.risks.linkability, anonymized=by_pairs)
    told = " ".join(headline(replace(risky, risks=replace(risky.risks, linkability=linkability))))
    assert "The largest of them is linkability, other recording, videos pooled: 98% (up to 100%)" in told


def test_everything_is_told_on_one_scale_by_hand(risky):
    found = {finding.name: finding for finding in risk_findings(risky.risks)}
    singled = risky.risks.singling_out
    one = found["singling out with 1 known video"]
    by_hand = (singled.anonymized[0].top1.high - singled.chance) / (1 - singled.chance)
    assert one.learned.high == pytest.approx(by_hand)
    sure = found["people singled out for sure with all known videos"]
    assert sure.learned == singled.anonymized[-1].singled_out
    pooled = risky.risks.linkability.raw_to_anonymized["same_recording"].pooled
    linked = found["linkability with raw videos, same recording, videos pooled"]
    assert linked.learned.value == pytest.approx(2 * pooled.auc.value - 1)


def test_what_lies_below_guessing_for_certain_counts_like_what_lies_above(risky):
    """An attack that is wrong more often than by chance is one that somebody turns round; it passed every limit."""
    linked = risky.risks.linkability.anonymized["other_recording"]
    turned = replace(linked, video=replace(linked.video, auc=Interval(0.1, 0.05, 0.2)))
    by_pairs = risky.risks.linkability.anonymized | {"other_recording": turned}
    risks = replace(risky.risks, linkability=replace(risky.risks.linkability, anonymized=by_pairs))
    found = {finding.name: finding.learned for finding in risk_findings(risks)}
    one = found["linkability, other recording, one video each"]
    assert (one.value, one.low, one.high) == pytest.approx((0.8, 0.6, 0.9))
    exceeded = judge(replace(risky, risks=risks), 0.85).exceeded
    assert "linkability, other recording, one video each: 80%, and up to 90%" in exceeded


def test_an_audit_without_risks_says_that_they_were_left_out(example_audit):
    assert "The three risks were left out" in render_html(example_audit)
    assert "recital 26" not in render_html(example_audit)
    assert "Three risks" not in card(example_audit)
