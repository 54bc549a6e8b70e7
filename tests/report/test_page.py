"""The report: plain words that are true, charts with every value, and nothing that breaks the page."""

import json
import re
from dataclasses import replace

import pytest

from latentveil.report.charts import RangeRow, cloud_chart, curve_chart, range_chart
from latentveil.report.headline import headline
from latentveil.report.page import Extras, FeatureMap, render_html, render_markdown, render_notebook
from latentveil.report.short import in_short
from latentveil.report.words import (
    attacker_in_words,
    interval,
    inversion_in_words,
    more_in_words,
    percent,
    share_in_words,
)
from latentveil.results.audit import (
    Attacker,
    AuditedData,
    Flag,
    FloorLevel,
    Inversion,
    NotTested,
    SeenAttribute,
)
from latentveil.results.risks import KnownVideos, Linkability, Recipient, Risks, SinglingOut
from latentveil.types import Interval


def test_the_headline_names_the_weakest_point(example_audit, reading):
    stills = reading("gender", kind="static", anonymized=0.82, removed=0.1)
    audit = replace(
        example_audit,
        secrets=example_audit.secrets | {"gender": stills},
        summary=replace(example_audit.summary, leakage_removed=0.3625),
    )
    text = " ".join(headline(audit))
    assert text.startswith(
        "36% of what the best attack could learn is gone, on average over 2 readings (a secret "
    )
    assert "The weakest point is gender, read from stills" in text
    assert "reaches 0.82 where guessing gives 0.10 and raw features gave 0.90" in text
    assert "The tasks reach 90% of their raw scores (guessing would reach 28%)." in text


def test_what_cannot_be_told_is_said_as_such_and_may_be_the_weakest_point(example_audit, reading):
    gender = reading("gender", raw=1.0, anonymized=1.0, removed=None)
    audit = replace(example_audit, secrets=example_audit.secrets | {"gender": gender})
    text = " ".join(headline(audit))
    assert "gone, on average over 1 of 2 readings (a secret from stored clips, or from stills)." in text
    assert "The weakest point is gender, read from stored clips" in text
    assert "How much is gone cannot be told of gender, read from stored clips: there" in text
    assert "–" in render_markdown(audit)
    assert "of the leakage removed, best attack, mean over 1 of 2 readings" in render_html(audit)
    alone = replace(audit, secrets={"gender": gender})
    assert headline(alone)[0].startswith("The weakest point is gender")


def test_stills_are_a_reading_of_their_own(example_audit, reading):
    both = reading("hair_colour", stills=reading("hair_colour", kind="static", removed=None))
    page = render_markdown(replace(example_audit, secrets={"hair_colour": both}))
    assert "| hair colour | stored clips |" in page
    assert "| hair colour | stills |" in page


def test_a_value_that_is_not_known_is_a_dash(example_audit, reading):
    nan = float("nan")
    gender = reading("gender", raw=nan, anonymized=nan, removed=None)
    audit = replace(example_audit, secrets=example_audit.secrets | {"gender": gender})
    for render in (render_html, render_markdown, render_notebook, in_short):
        assert "The weakest point is identity" in render(audit)
        assert "nan" not in render(audit)


def test_the_floor_is_in_the_headline(example_audit):
    audit = replace(example_audit, summary=replace(example_audit.summary, leakage_removed_over_floor=0.8))
    assert "Above what the same attacks reach with nothing to learn, 80% is gone." in headline(audit)


@pytest.mark.parametrize("render", [render_html, render_markdown])
def test_the_floor_has_a_table_where_it_was_measured(example_audit, reading, render):
    assert "nothing to learn" not in render(example_audit)
    floor = FloorLevel(value=0.234, spread=None, repeats=[0.234])
    share = Interval(0.567, 0.5, 0.6)
    measured = replace(
        reading("hair_colour"),
        floor=floor,
        leakage_removed_over_floor=share.value,
        leakage_removed_over_floor_interval=share,
    )
    page = render(replace(example_audit, secrets={"hair_colour": measured, "identity": reading()}))
    for text in (
        "With nothing to learn",
        "over 1 repeats",
        "spread of one repeat",
        "removed above the floor",
    ):
        assert page.count(text) == 1
    table = page[page.index("removed above the floor") :]
    row = next(line for line in table.split("\n\n")[0].split("</table>")[0].split("hair colour")[1:])
    assert row.index("0.234") < row.index("57% [50%, 60%]")
    assert page.count('<div class="wide"><table>') == page.count("<table>")


def test_more_found_than_before_is_said_as_that(example_audit, reading):
    """What is 1.41 times as far above guessing as it was before."""
    worse = reading(anonymized=0.95, removed=-0.41)
    summary = replace(example_audit.summary, leakage_removed=-0.41, leakage_removed_over_floor=-0.1)
    audit = replace(example_audit, secrets={"identity": worse}, summary=summary)
    text = " ".join(headline(audit))
    assert text.startswith(
        "More is found than before: the best attack learns 41% more above guessing, on average"
    )
    assert "with nothing to learn, 10% more is found than before." in text
    page = render_html(audit)
    assert "<b>41% more</b><span>is found than before" in page
    for told in (text, page[: page.index("<h2>")]):
        assert "-41%" not in told
        assert "is gone" not in told


def test_readings_of_an_unknown_interval_are_not_counted(example_audit, reading):
    nan = float("nan")
    gender = reading("gender", raw=0.687, anonymized=0.77, removed=None)
    gender = replace(gender, worst=replace(gender.worst, raw=Interval(0.687, nan, nan)))
    text = " ".join(headline(replace(example_audit, secrets=example_audit.secrets | {"gender": gender})))
    assert "is gone, on average over 1 of 2 readings" in text
    assert "cannot be told of gender, read from stored clips: there" in text
    assert "or is unknown" in text


def test_numbers_as_people_read_them():
    assert percent(0.625) == "62%"
    assert percent(None) == "–"
    assert percent(-1e-17) == "0%"
    assert [more_in_words(share) for share in (-0.41, -0.001, 0.2, None)] == ["41%", "", "", ""]
    unknown = float("nan")
    assert interval(Interval(0.5, unknown, unknown)) == "0.500"
    assert interval(Interval(0.5, 0.45, 0.55)) == "0.500 [0.450, 0.550]"
    assert share_in_words(0.76, Interval(0.76, -1.75, 1.0)) == "76% [-175%, 100%]"
    assert share_in_words(0.76, Interval(0.76, unknown, unknown)) == "76%"
    assert share_in_words(None, None) == "–"


@pytest.mark.parametrize("render", [render_html, render_markdown, render_notebook, in_short])
def test_what_is_removed_has_its_interval_everywhere(example_audit, render):
    assert "62% [42%, 72%]" in render(example_audit)


@pytest.mark.parametrize("render", [render_html, render_markdown, render_notebook, in_short])
def test_what_was_not_tested_and_what_not_to_trust_is_said_everywhere(example_audit, render):
    audit = replace(
        example_audit,
        not_tested=[
            NotTested("hair_colour", "one value"),
            NotTested("hat", "one value"),
            NotTested("age", "late"),
        ],
        flags=[Flag("few", "Only three people were tested.")],
    )
    assert "hair colour, hat: not tested: one value." in render(audit)
    assert "age: not tested: late." in render(audit)
    assert "Only three people were tested." in render(audit)


@pytest.mark.parametrize("render", [render_html, render_markdown])
def test_the_page_says_on_what_it_rests(example_audit, render):
    data = AuditedData(
        videos=10,
        clips=30,
        labels="labels.csv",
        people=4,
        recordings=2,
        unlabelled_videos=3,
        date="2026-01-02",
        raw_sha256="a1" * 32,
        anonymized_sha256="b2" * 32,
        attacks=["lda", "mlp"],
    )
    page = render(replace(example_audit, data=data))
    for text in (
        "10 videos, 30 clips, 4 people, 2 recordings",
        "10 of 13 videos have labels",
        "2026-01-02",
        "a1" * 32,
        "b2" * 32,
        "lda, mlp",
    ):
        assert text in page


@pytest.mark.parametrize("render", [render_html, render_markdown])
def test_what_is_signed_for_stands_together_at_the_end(example_audit, render):
    data = replace(example_audit.data, anonymized_sha256="5afe", date="2026-11-17")
    encoder = replace(example_audit.encoder, weights_sha256="unknown")
    page = render(replace(example_audit, data=data, encoder=encoder))
    signed = page[page.index("Sign-off") :]
    for words in ("5afe", "2026-11-17", "No limit was set", "not named", "things not tested", "signature"):
        assert words in signed
    assert "weights not recorded" in page


def test_the_page_holds_every_number_and_escapes_names(example_audit):
    audit = replace(example_audit, tasks={"<script>": example_audit.tasks["action"]})
    extras = Extras(
        training_log=[{"epoch": 0, "budget": 2.0}, {"epoch": 1, "budget": 5.0}],
        feature_map=FeatureMap(
            "identity", [0, 1], ["a", "b"], [[0.0, 0.0], [1.0, 1.0]], [[0.0, 0.0], [0.0, 0.0]]
        ),
        pictures={"originals and reconstructions": b"\x89PNG"},
    )
    page = render_html(audit, extras)
    for text in (
        "0.400 [0.350, 0.450]",
        "0.810 [0.760, 0.860]",
        "budget",
        "iVBORw==",
        "originals and reconstructions",
    ):
        assert text in page
    assert "<script>" not in page
    assert "<script>" not in render_notebook(audit)


def test_a_map_coloured_by_what_was_not_attacked_says_so(example_audit):
    points = [[0.0, 0.0], [1.0, 1.0]]
    for secret, is_said in (("identity", False), ("gender", True)):
        page = render_html(
            example_audit, Extras(feature_map=FeatureMap(secret, [0, 1], ["a", "b"], points, points))
        )
        assert ("which was not attacked" in page) == is_said


def test_a_range_chart_puts_values_where_they_belong():
    row = RangeRow("a", "", raw=Interval(0.5, 0.0, 1.0), anonymized=Interval(0.25, 0.25, 0.25))
    chart = range_chart([row], mark_name="guessing")
    assert 'cx="50.00%"' in chart
    assert 'x1="3.00%" x2="97.00%"' in chart


def test_a_range_chart_keeps_the_size_of_its_text_at_any_width():
    """It has no viewBox, which would shrink the text with the page, and its places across are shares of the width."""
    row = RangeRow("a", "note", raw=Interval(0.5, 0.4, 0.6), anonymized=Interval(0.2, 0.1, 0.3), mark=0.1)
    chart = range_chart([row], mark_name="guessing")
    assert "viewBox" not in chart
    assert 'width="100%"' in chart


def test_nothing_on_the_page_is_too_small_to_read_on_a_phone(example_audit):
    """Text has 11 pixels or more; what shrinks with the page fits a phone of 400 pixels as it is."""
    points = [[0.0, 0.0], [1.0, 1.0]]
    extras = Extras(
        training_log=[{"epoch": 0, "budget": 2.0}],
        feature_map=FeatureMap("identity", [0, 1], ["a", "b"], points, points),
    )
    page = render_html(example_audit, extras)
    assert min(int(size) for size in re.findall(r"font-size: (\d+)px", page)) >= 11
    assert max(int(width) for width in re.findall(r'viewBox="0 0 (\d+)', page)) <= 400 - 2 * 16
    assert page.count('<div class="wide"><table>') == page.count("<table>")


def test_unknown_intervals_draw_a_dot_without_a_bar():
    nan = float("nan")
    row = RangeRow("a", "", raw=Interval(0.5, nan, nan), anonymized=Interval(0.25, 0.2, 0.3))
    chart = range_chart([row], mark_name="guessing")
    assert chart.count('<line class="raw"') == 0
    assert chart.count('<line class="safe"') == 1
    nothing = range_chart([replace(row, raw=Interval(nan, nan, nan))], mark_name="guessing")
    assert "nan" not in nothing


@pytest.mark.parametrize("values", [[1.0], [1.0, float("nan"), 3.0], [2.0, 2.0]])
def test_curves_survive_odd_logs(values):
    assert "<polyline" in curve_chart("term", values)


def test_a_cloud_of_equal_points_stays_in_its_frame():
    chart = cloud_chart("after", [[1.0, 1.0]] * 3, [0, 1, 2])
    assert chart.count('cx="30.0" cy="30.0"') == 3


def ends(value):
    return Interval(value, value - 0.05, value + 0.05)


INVERSION = Inversion(
    kind="temporal",
    clips={"train": 50, "validation": 10, "test": 20},
    psnr={"raw": ends(19.0), "adaptive": ends(15.6), "mean_frame": ends(15.5)},
    ssim={"raw": ends(0.8), "adaptive": ends(0.41), "mean_frame": ends(0.4)},
    attribute=SeenAttribute(
        secret="gender",
        chance=0.5,
        named={"original": ends(0.95), "raw": ends(0.9), "adaptive": ends(0.55), "mean_frame": ends(0.5)},
    ),
)


@pytest.mark.parametrize("render", [render_html, render_markdown])
def test_reconstructions_are_told_where_they_were_measured(example_audit, render):
    assert "Pictures from features" not in render(example_audit)
    assert "No decoder was tried" in render(example_audit)
    page = render(replace(example_audit, inversion=INVERSION))
    for text in (
        "Pictures from features",
        "19.0 [18.9, 19.1]",
        "0.410 [0.360, 0.460]",
        "0.550 [0.500, 0.600]",
    ):
        assert text in page
    assert "gender seen in the picture" in page
    assert "Guessing names gender in 50% of the pictures; in the originals it is named in 95%" in page
    assert "non adaptive" not in page  # was not measured: the anonymized features have another dimension


def test_pictures_in_words(example_audit):
    told = inversion_in_words(replace(example_audit, inversion=INVERSION))
    assert "draws frames at 15.6 dB PSNR (from raw features 19.0, from no feature at all 15.5)" in told
    assert "gender is named in 55% of its pictures (raw 90%, guessing 50%)" in told


@pytest.mark.parametrize("render", [render_html, render_markdown, attacker_in_words])
@pytest.mark.parametrize(
    ("attacker", "words"),
    [
        (None, "not recorded whether an attacker was tried who holds the adapter"),
        (Attacker(holds_adapter=False, redrawn_copies=0), "holds the adapter itself was not tried"),
        (Attacker(holds_adapter=True, redrawn_copies=0), "The adapter adds no noise"),
        (Attacker(holds_adapter=True, redrawn_copies=4), "learned from 4 more copies"),
    ],
)
def test_what_the_attacker_held_is_said(example_audit, reading, render, attacker, words):
    identity = reading()
    informed = replace(identity, attacks=identity.attacks | {"informed": identity.attacks["lda"]})
    assert words in render(replace(example_audit, attacker=attacker, secrets={"identity": informed}))


def test_an_attacker_who_did_not_use_the_adapter_did_not_hold_it(example_audit):
    attacker = Attacker(holds_adapter=True, redrawn_copies=4)
    told = attacker_in_words(replace(example_audit, attacker=attacker))
    assert "was not tried" in told
    assert "Add the attack informed" in told
    assert "Audit with the adapter" not in told  # it was given


@pytest.mark.parametrize(
    ("name", "used"),
    [
        ("raw", "Only singling out and linking used it, with 5 draws."),
        ("adapter", "Only linking used it, with 5 draws."),
    ],
)
def test_without_the_informed_attack_those_are_named_who_used_the_adapter(example_audit, name, used):
    known = KnownVideos(None, ("cosine",), ends(0.5), ends(0.2), 0.9)
    audit = replace(
        example_audit,
        attacker=Attacker(holds_adapter=True, redrawn_copies=4, copies_for_risks=4),
        recipient=Recipient(name, "the adapter", "averaging"),
        risks=Risks(SinglingOut(40, 200, 5, 0.025, (known,), (known,)), Linkability(name, {}, {})),
    )
    told = attacker_in_words(audit)
    assert "The attacks on secrets did not use the adapter" in told
    assert used in told
    assert "was not tried" not in told
    assert "The three risks are told for a recipient who holds the adapter." in headline(audit)


def test_extras_survive_json():
    extras = Extras(
        training_log=[{"epoch": 0, "budget": 2.0}],
        feature_map=FeatureMap("identity", [0], ["a"], [[0.0, 0.0]], [[1.0, 0.5]]),
        pictures={"a": b"\x89PNG\x00"},
    )
    assert Extras.from_dict(json.loads(json.dumps(extras.to_dict()))) == extras
    assert Extras.from_dict(json.loads(json.dumps(Extras().to_dict()))).feature_map is None
