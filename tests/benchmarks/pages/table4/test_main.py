"""The table goes on where it was stopped, and its page is written from the rows that are there."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.pages.table4 import __main__ as program
from benchmarks.pages.table4.__main__ import Table, closed_rows, frontier_rows, trained_rows
from benchmarks.pages.table4.protocol import RAW, Grading, SubsetRow, TaskArena, measure_row

CHANGES = ("erasure.keep=6", "erasure.noise=0", "erasure.window=1")
ROWS = [SubsetRow(RAW), SubsetRow("veil", ("action",), CHANGES)]
GRADING = Grading(heads={"action": 1}, secrets=("look",), attacks=("lda",))


@pytest.fixture
def arena(mixed):
    look = np.where(np.arange(len(mixed.labels.video)) % 3 == 0, "1", "0")
    labels = replace(mixed.labels, columns=mixed.labels.columns | {"secret_look": look})
    return TaskArena(mixed.features, labels, mixed.segments, ("action",))


def test_rows_are_measured_once_and_shown_on_the_page(arena, monkeypatch, tmp_path):
    measured = []

    def one_by_one(arena, rows, grading, *, workers):
        for row in rows:
            measured.append(row.key)
            yield measure_row(arena, row, grading)

    monkeypatch.setattr(program, "measured", one_by_one)
    about = {"components": 0, "heads": GRADING.heads, "test_videos": {"action": 8}}
    page = tmp_path / "docs" / "table4.md"
    Table(tmp_path, page, about, workers=1).run("table", arena, ROWS[:1], GRADING)
    first = page.read_text()
    table = Table(tmp_path, page, about, workers=1)
    table.run("table", arena, ROWS, GRADING)
    assert measured == [row.key for row in ROWS]
    text = page.read_text()
    raw, veil = table.found["table"]
    assert f"| raw | none | {raw['tasks']['action']['values'][0]:.3f} |" in first
    assert "| veil |" not in first
    assert f"| veil | action | **{veil['tasks']['action']['values'][0]:.3f} (" in text
    cells = [f"{reading['attacks']['lda']:.3f}" for reading in veil["readings"]]
    assert f"| veil | action | {' | '.join(cells)} |" in text
    assert "| adapter | fitted for | look, clips | look, stills |" in text
    shown = Table(tmp_path, page, about, workers=0)
    shown.run("table", arena, [*ROWS, SubsetRow("paper")], GRADING)  # without workers nothing is measured
    assert len(measured) == 2
    assert page.read_text() == text


def test_the_rows_of_the_paper_are_all_there():
    tasks = ("action", "detection", "anomaly")
    closed = closed_rows(tasks)
    assert len({row.key for row in closed}) == len(closed) == 1 + 8 + 7
    assert len(trained_rows(epochs=10)) == 8
    assert len(frontier_rows()) == 1 + 9
