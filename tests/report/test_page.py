"""The report: plain words that are true, charts with every value, and nothing that breaks the page."""

import copy
import json

import pytest

from latentveil.report.charts import RangeRow, cloud_chart, curve_chart, range_chart
from latentveil.report.page import Extras, FeatureMap, render_html, render_markdown
from latentveil.report.words import attacker_in_words, headline, interval, inversion_in_words, percent


def ends(value):
    return {"value": value, "low": value - 0.05, "high": value + 0.05}


AUDIT = {
    "schema": 1,
    "version": "0",
    "encoder": {"name": "i3d", "weights_sha256": "ab"},
    "adapter": {"name": "veil", "sha256": "cd"},
    "data": {"videos": 10, "clips": 30, "labels": "labels.csv"},
    "seed": 0,
    "secrets": {
        "identity": {
            "kind": "temporal",
            "metric": "top1",
            "chance": 0.1,
            "attacks": {"lda": {"raw": ends(0.9), "anonymized": ends(0.4)}},
            "worst": {"raw": ends(0.9), "anonymized": ends(0.4), "attack": "lda"},
            "leakage_removed": 0.625,
        }
    },
    "tasks": {
        "action": {"metric": "top1", "chance": 0.25, "raw": ends(0.9), "anonymized": ends(0.81), "kept": 0.9}
    },
    "summary": {"leakage_removed": 0.625, "utility_kept": 0.9, "nhv": 0.5},
}


def test_the_headline_names_the_weakest_point():
    audit = copy.deepcopy(AUDIT)
    audit["secrets"]["gender_static"] = audit["secrets"]["identity"] | {
        "kind": "static",
        "leakage_removed": 0.1,
        "worst": {"raw": ends(0.9), "anonymized": ends(0.82), "attack": "lda"},
    }
    audit["summary"]["leakage_removed"] = 0.3625
    text = headline(audit)
    assert text.startswith(
        "36% of what the best attack could learn is gone, on average over 2 readings (a secret "
    )
    assert "The weakest point is gender, read from stills" in text
    assert "reaches 0.82 where guessing gives 0.10 and raw features gave 0.90" in text
    assert text.endswith("The tasks reach 90% of their raw scores (guessing would reach 28%).")


def test_what_cannot_be_told_is_said_as_such_and_may_be_the_weakest_point():
    audit = copy.deepcopy(AUDIT)
    gender = {"raw": ends(1.0), "anonymized": ends(1.0), "attack": "lda"}
    audit["secrets"]["gender"] = audit["secrets"]["identity"] | {"leakage_removed": None, "worst": gender}
    text = headline(audit)
    assert "gone, on average over 1 of 2 readings (a secret from stored clips, or from stills)." in text
    assert "The weakest point is gender, read from stored clips" in text
    assert "How much is gone cannot be told of gender, read from stored clips: there" in text
    assert "–" in render_markdown(audit)
    audit["secrets"]["identity"]["leakage_removed"] = None
    assert headline(audit).startswith("The weakest point is gender")


def test_a_value_that_is_not_known_is_a_dash():
    audit = copy.deepcopy(AUDIT)
    nothing = {"value": None, "low": None, "high": None}
    audit["secrets"]["gender"] = audit["secrets"]["identity"] | {
        "leakage_removed": None,
        "worst": {"raw": nothing, "anonymized": nothing, "attack": "lda"},
    }
    for render in (render_html, render_markdown):
        assert "The weakest point is identity" in render(audit)


def test_the_floor_is_in_the_headline():
    audit = copy.deepcopy(AUDIT)
    audit["summary"]["leakage_removed_over_floor"] = 0.8
    assert "Above what the same attacks reach with nothing to learn, 80% is gone." in headline(audit)


def test_numbers_as_people_read_them():
    assert percent(0.625) == "62%"
    assert percent(None) == "–"
    assert interval({"value": 0.5, "low": None, "high": None}) == "0.500"
    assert interval(ends(0.5)) == "0.500 [0.450, 0.550]"


def test_the_page_holds_every_number_and_escapes_names():
    audit = copy.deepcopy(AUDIT)
    audit["tasks"] = {"<script>": audit["tasks"]["action"]}
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


def test_a_range_chart_puts_values_where_they_belong():
    rows = [RangeRow("a", "", raw=(0.0, 0.5, 1.0), anonymized=(0.25, 0.25, 0.25), mark=None)]
    chart = range_chart(rows, mark_name="guessing")
    left, right = 190, 720
    assert f'cx="{(left + right) / 2}"' in chart
    assert f'x1="{float(left)}" x2="{float(right)}"' in chart


def test_unknown_intervals_draw_a_dot_without_a_bar():
    nan = float("nan")
    row = RangeRow("a", "", raw=(nan, 0.5, nan), anonymized=(0.2, 0.25, 0.3))
    chart = range_chart([row], mark_name="guessing")
    assert chart.count('<line class="raw"') == 0
    assert chart.count('<line class="safe"') == 1


@pytest.mark.parametrize("values", [[1.0], [1.0, float("nan"), 3.0], [2.0, 2.0]])
def test_curves_survive_odd_logs(values):
    assert "<polyline" in curve_chart("term", values)


def test_a_cloud_of_equal_points_stays_in_its_frame():
    chart = cloud_chart("after", [[1.0, 1.0]] * 3, [0, 1, 2])
    assert chart.count('cx="30.0" cy="30.0"') == 3


INVERSION = {
    "kind": "temporal",
    "clips": {"train": 50, "validation": 10, "test": 20},
    "psnr": {name: ends(value) for name, value in (("raw", 19.0), ("adaptive", 15.6), ("mean_frame", 15.5))},
    "ssim": {name: ends(value) for name, value in (("raw", 0.8), ("adaptive", 0.41), ("mean_frame", 0.4))},
    "attribute": {
        "secret": "gender",
        "chance": 0.5,
        "original": ends(0.95),
        "raw": ends(0.9),
        "adaptive": ends(0.55),
        "mean_frame": ends(0.5),
    },
}


@pytest.mark.parametrize("render", [render_html, render_markdown])
def test_reconstructions_are_told_where_they_were_measured(render):
    assert "Pictures from features" not in render(AUDIT)
    assert "No decoder was tried" in render(AUDIT)
    page = render(AUDIT | {"inversion": INVERSION})
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


def test_pictures_in_words():
    told = inversion_in_words(AUDIT | {"inversion": INVERSION})
    assert "draws frames at 15.6 dB PSNR (from raw features 19.0, from no feature at all 15.5)" in told
    assert "gender is named in 55% of its pictures (raw 90%, guessing 50%)" in told


@pytest.mark.parametrize("render", [render_html, render_markdown, attacker_in_words])
@pytest.mark.parametrize(
    ("attacker", "words"),
    [
        (None, "not recorded whether an attacker was tried who holds the adapter"),
        ({"holds_adapter": False, "redrawn_copies": 0}, "holds the adapter itself was not tried"),
        ({"holds_adapter": True, "redrawn_copies": 0}, "The adapter adds no noise"),
        ({"holds_adapter": True, "redrawn_copies": 4}, "learned from 4 more copies"),
    ],
)
def test_what_the_attacker_held_is_said(render, attacker, words):
    audit = copy.deepcopy(AUDIT) | ({} if attacker is None else {"attacker": attacker})
    audit["secrets"]["identity"]["attacks"]["informed"] = audit["secrets"]["identity"]["attacks"]["lda"]
    assert words in render(audit)


def test_an_attacker_who_did_not_use_the_adapter_did_not_hold_it():
    told = attacker_in_words(AUDIT | {"attacker": {"holds_adapter": True, "redrawn_copies": 4}})
    assert "was not tried" in told


def test_extras_survive_json():
    extras = Extras(
        training_log=[{"epoch": 0, "budget": 2.0}],
        feature_map=FeatureMap("identity", [0], ["a"], [[0.0, 0.0]], [[1.0, 0.5]]),
        pictures={"a": b"\x89PNG\x00"},
    )
    assert Extras.from_dict(json.loads(json.dumps(extras.to_dict()))) == extras
    assert Extras.from_dict(json.loads(json.dumps(Extras().to_dict()))).feature_map is None
