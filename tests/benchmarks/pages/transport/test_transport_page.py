"""The page of transport: shares counted from a floor, verdicts by rule, and numbers that accumulate."""

import numpy as np
import pytest

import latentveil as lv
from benchmarks.pages.transport import __main__ as program
from benchmarks.pages.transport.chart import COLOURS, GAP, PANEL, TOP, render_chart
from benchmarks.pages.transport.measured import add_entry, read_entries
from benchmarks.pages.transport.page import COMPONENTS, render_page
from benchmarks.pages.transport.rows import BY_PERSON, RAW, ROWS, SWAPPED, swap_people
from benchmarks.pages.transport.verdicts import gone, kept, verdict
from latentveil.labels import Labels
from latentveil.types import FeatureSet


def entry(row, *, named, unseen, seed=0):
    scores = {
        "named": {"value": named, "low": named, "high": named, "chance": 0.1, "people": 10},
        "linked": {"value": 0.5, "low": 0.4, "high": 0.6, "chance": 0.5, "people": 10},
        "unseen actions": {"value": unseen, "low": unseen, "high": unseen, "chance": 0.25},
    }
    return {"set": "lsa64", "row": row, "seed": seed, "videos": 320, "scores": scores}


RAW_ENTRY = entry(RAW, named=1.0, unseen=0.8)


def test_what_is_gone_counts_from_the_control_and_from_guessing_without_it():
    safe = entry(BY_PERSON, named=0.28, unseen=0.4)
    assert gone([RAW_ENTRY, safe], BY_PERSON, "named") == pytest.approx(0.8)
    control = entry(SWAPPED, named=0.2, unseen=0.8)
    assert gone([RAW_ENTRY, safe, control], BY_PERSON, "named") == pytest.approx(0.9)
    assert kept([RAW_ENTRY, safe], BY_PERSON, "unseen actions") == pytest.approx(0.5)
    assert gone([safe], BY_PERSON, "named") is None


def test_the_title_says_that_the_space_is_reduced_and_centred():
    """It was said in half a sentence, and that features are centred nowhere."""
    title = render_page({"lsa64": [RAW_ENTRY]}).splitlines()[0]
    assert title == f"# A release as a set, in {COMPONENTS} centred principal components"


def test_verdicts_follow_the_rule_and_a_row_has_all_its_numbers():
    safe = [entry(BY_PERSON, named=value, unseen=0.8, seed=seed) for seed, value in enumerate((0.1, 0.3))]
    page = render_page({"lsa64": [RAW_ENTRY, *safe]})
    assert "| transport by person | named: 85% gone | 89%, reached |" in page
    assert "0.200 ± 1.271 [0.10, 0.10] (89% gone)" in page
    worse = [entry(BY_PERSON, named=0.5, unseen=0.6)]
    page = render_page({"lsa64": [RAW_ENTRY, *worse]})
    assert "56%, **missed**" in page
    assert "75%, **missed**" in page


def test_numbers_accumulate_and_a_row_is_measured_anew_in_its_place(tmp_path):
    add_entry(RAW_ENTRY, tmp_path)
    add_entry(entry(RAW, named=0.123456, unseen=0.8, seed=1), tmp_path)
    add_entry(entry(RAW, named=0.5, unseen=0.8), tmp_path)
    found = read_entries("lsa64", tmp_path)
    assert [(one["seed"], one["scores"]["named"]["value"]) for one in found] == [(0, 0.5), (1, 0.1235)]


def test_what_other_attacks_graded_is_marked_and_measured_again_when_asked(tmp_path, monkeypatch):
    person, action = np.repeat(np.arange(6), 12), np.tile(np.repeat(np.arange(4), 3), 6)
    random = np.random.default_rng(0)
    rows = 3 * random.normal(size=(6, 12))[person] + 3 * random.normal(size=(4, 12))[action]
    names = [f"v{number:02d}" for number in range(72)]
    rows = (rows + 0.1 * random.normal(size=rows.shape)).astype(np.float32)
    (tmp_path / "lsa64").mkdir()
    np.savez(tmp_path / "rows.npz", **dict(zip(names, rows[:, None])))
    lv.import_features(tmp_path / "rows.npz", tmp_path / "lsa64" / "raw.store", progress=False)
    split = np.tile(["train", "val", "test"], 24)
    lines = [f"{name},{part},p{who},a{what}" for name, part, who, what in zip(names, split, person, action)]
    (tmp_path / "lsa64" / "labels.csv").write_text("\n".join(["video,split,person,action", *lines]))
    kept = [entry(RAW, named=0.123, unseen=0.8)]
    monkeypatch.setattr(program, "read_entries", lambda name: list(kept))
    monkeypatch.setattr(program, "add_entry", kept.append)

    program.measure_actions("lsa64", tmp_path, seeds=[0], only=[RAW])
    assert len(kept) == 1
    assert "| raw † | 1 |" in render_page({"lsa64": kept})
    program.measure_actions("lsa64", tmp_path, seeds=[0], only=[RAW], again=True)
    assert len(kept) == 2
    assert kept[1]["scores"]["named"]["value"] > 0.9
    assert "| raw | 1 |" in render_page({"lsa64": kept[1:]})
    del kept[0]
    program.measure_actions("lsa64", tmp_path, seeds=[0], only=[RAW], again=True)
    assert len(kept) == 1


def test_every_curve_has_a_colour():
    assert {row.curve for row in ROWS if row.curve} == COLOURS.keys()


def test_the_chart_has_a_dot_where_privacy_and_use_meet():
    svg = render_chart({"lsa64": [RAW_ENTRY, entry(BY_PERSON, named=0.55, unseen=0.8)], "thetis": []})
    x, y = GAP + PANEL * 0.5, TOP + PANEL * (1 - 1 / 1.25)
    assert f'cx="{x:.1f}" cy="{y:.1f}"' in svg
    assert "LSA64" in svg
    assert "THETIS" not in svg


def test_swapped_people_keep_the_action_and_every_video():
    names = [f"v{number}" for number in range(12)]
    features = FeatureSet.from_arrays(
        {name: np.full((2, 3), number, dtype=np.float32) for number, name in enumerate(names)}
    )
    table = {"video": names, "split": ["train"] * 12, "action": [str(n % 3) for n in range(12)]}
    safe = swap_people(features, Labels.from_table(table), seed=0)
    shown = {name: safe.feature[safe.video == name][0, 0] for name in names}
    assert sorted(shown.values()) == list(range(12))
    assert all(int(shown[name]) % 3 == number % 3 for number, name in enumerate(names))
    assert any(shown[name] != number for number, name in enumerate(names))


def test_a_miss_by_little_is_not_rounded_to_what_was_wanted():
    assert verdict(0.966, 0.97) == "96.6%, **missed**"
    assert verdict(0.9696, 0.97) == "96.96%, **missed**"
    assert verdict(0.9, 0.97) == "90%, **missed**"
    assert verdict(0.97, 0.97) == "97%, reached"
