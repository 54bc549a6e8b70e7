"""A cell is measured, kept and read again; the page tells what it says and what is missing."""

import numpy as np
import pytest

from benchmarks.published import cells, grade, measured
from benchmarks.published.arms import RANDOM, RAW
from benchmarks.published.cells import NARROW, UNCENTRED, Cell, Material, measure, planned
from benchmarks.published.data import ATTRIBUTES, Strangers, Videos
from benchmarks.published.grade import Answers
from benchmarks.published.page import render_page
from benchmarks.published.shares import NUM_HALVES, Reading, share_gone
from latentveil.bench.graders import released
from latentveil.errors import InputError
from latentveil.metrics.classification import average_precision, prevalence
from latentveil.metrics.intervals import interval_over_groups


@pytest.fixture(scope="module")
def material():
    random = np.random.default_rng(0)
    rows = (random.normal(size=(40, 2, 16)) + 2.0).astype(np.float32)
    videos = Videos(rows, rows + 0.1, np.arange(40) % 4, np.arange(40) // 4)
    graded = []
    for name in ("peta", "wlasl100"):
        feature = (random.normal(size=(120, 16)) + 2.0).astype(np.float32)
        target = (feature[:, : len(ATTRIBUTES[name])] > 2.0).astype(np.int64)
        number = np.arange(120)
        split = np.array(["train", "val", "test"])[number // 2 % 3]
        graded.append(Strangers(name, feature, target, number.astype(str), number // 2, split))
    return Material(videos, videos, graded)


@pytest.fixture
def few_epochs(monkeypatch):
    monkeypatch.setattr(released, "NUM_EPOCHS", 10)


def run(cell, material, folder):
    return measure(cell, material, steps=5, attacks=("lda",), folder=folder, say=lambda _: None)


def test_cells_are_measured_and_told_on_the_page(material, tmp_path, few_epochs):
    entries = [
        run(Cell("wlasl100", UNCENTRED, arm, 0), material, tmp_path) for arm in (RAW, "released", RANDOM)
    ]
    assert entries[1]["first"]["consistency"] == 0 < entries[1]["last"]["consistency"]
    # the control moves every still as far as the adapter does
    assert entries[2]["graded"]["peta"]["moved"] == pytest.approx(
        entries[1]["graded"]["peta"]["moved"], rel=1e-4
    )
    for entry in entries:
        measured.write(tmp_path / "kept", Cell(**entry["cell"]).key, entry)
    kept = measured.read(tmp_path / "kept", "wlasl100")
    assert len(kept) == 3
    page = render_page(kept)
    assert "**the verdict**" in page
    assert "40 stills of 20 people" in page
    assert "cells are not finished" in page


def test_raw_against_raw_has_lost_nothing(material, tmp_path, few_epochs):
    cell = Cell("wlasl100", UNCENTRED, RAW, 0)
    entry = run(cell, material, tmp_path)
    for grader in grade.GRADERS:
        reading = measured.reading(entry["graded"]["peta"], grader)
        share = share_gone([reading], [reading])
        assert share.interval.value == share.by_seed[0] == 0


def test_a_blinded_reading_has_lost_everything():
    target = np.tile([[1], [0]], (40, 1))
    person = np.arange(80) // 2
    answers = [Answers(score, target, person, "") for score in (target.astype(float), np.zeros((80, 1)))]
    raw, blind = map(Reading.of, answers)
    assert share_gone([raw], [blind]).interval.value == pytest.approx(1)


def test_what_decides_runs_first_and_every_seed_comes_once():
    order = planned("wlasl100", (0, 1, 2))
    assert {cell.space for cell in order[:10]} == {UNCENTRED}
    assert {cell.arm for cell in order[4:10]} == {RAW, "released", RANDOM}
    assert NARROW in {cell.space for cell in order}
    assert len(order) == len(set(order))
    assert order.index(Cell("wlasl100", UNCENTRED, "released", 2)) < order.index(
        Cell("wlasl100", UNCENTRED, "cross", 1)
    )
    random = [cell for cell in order if cell.arm == RANDOM]
    for cell in random:
        assert order.index(cells.replace(cell, arm="released")) < order.index(cell)


def test_a_reading_is_that_of_a_plain_bootstrap(material):
    random = np.random.default_rng(3)
    person, target = np.arange(60) // 3, random.integers(2, size=(60, 2))
    raw, shown = (
        Answers(random.normal(size=(60, 2)) + scale * target, target, person, "") for scale in (3, 1)
    )

    def gone(weights):
        precision = [
            np.mean([average_precision(a.target[:, c], a.score[:, c], weights) for c in (0, 1)], axis=0)
            for a in (raw, shown)
        ]
        chance = np.mean([prevalence(target[:, c], weights) for c in (0, 1)], axis=0)
        return 1 - (precision[1] - chance) / (precision[0] - chance)

    expected = interval_over_groups(gone, person, seed=0, num_resamples=NUM_HALVES)
    found = share_gone([Reading.of(raw)], [Reading.of(shown)]).interval
    assert (found.value, found.low, found.high) == pytest.approx(
        (expected.value, expected.low, expected.high)
    )


def test_a_random_move_needs_the_lengths_of_the_trained_one(material, tmp_path):
    with pytest.raises(InputError, match="Measure 'released'"):
        run(Cell("wlasl100", UNCENTRED, RANDOM, 0), material, tmp_path)
