"""The page is written from the folder of a run alone, and what adapters do to features is measured once."""

import json

import pytest

from benchmarks.pages.loophole import __main__ as program
from benchmarks.pages.loophole import diagnose
from latentveil.bench.recipe import load_recipe


@pytest.fixture
def page(small_run, monkeypatch, tmp_path):
    monkeypatch.setattr(diagnose, "load_recipe", lambda _: load_recipe(str(small_run.recipe)))

    def write():
        program.main([str(small_run.folder), "--data", str(small_run.data), "-o", str(tmp_path / "page.md")])
        return (tmp_path / "page.md").read_text()

    return write


def test_every_row_is_graded_on_stills_and_clips(page, small_run):
    text = page()
    entries = [json.loads(line) for line in (small_run.folder / "results.jsonl").read_text().splitlines()]
    for row in ("raw", "paper", "veil"):
        (entry,) = (entry for entry in entries if entry["name"] == row)
        by_kind = {
            reading["kind"]: reading["worst"]["anonymized"]["value"]
            for reading in entry["readings"]
            if reading["secret"] == "identity"
        }
        lines = [line for line in text.splitlines() if line.startswith(f"| {row} |")]
        assert lines[0].endswith(f"| {by_kind['static']:.3f} |")
        assert lines[1].endswith(f"| {by_kind['temporal']:.3f} |")
        assert lines[2].endswith(
            f"| {entry['seen']['anonymized']['value']:.3f} | {entry['unseen']['anonymized']['value']:.3f} |"
        )
    assert "| paper | 0 | 5 |" in text  # the losses of seed 0 over 5 epochs
    assert [line.split(" | ")[0] for line in text.splitlines() if line[:3] in ("| 0", "| 2", "| 5")] == [
        "| 0",
        "| 2",
        "| 5",
    ]


def test_adapters_are_examined_once(page, small_run, monkeypatch):
    first = page()
    monkeypatch.setattr(diagnose, "examine", lambda *_: pytest.fail("examined again"))
    assert page() == first
    known = [json.loads(line) for line in (small_run.folder / "diagnosis.jsonl").read_text().splitlines()]
    assert sorted(entry["name"] for entry in known) == ["paper", "paper, epoch 2", "raw", "veil"]
    raw = next(entry for entry in known if entry["name"] == "raw")
    assert raw["geometry"]["moved_test"] == 0
    assert raw["geometry"]["rank"] == pytest.approx(raw["geometry"]["rank_raw"])
    assert raw["mlp"]["static"]["untouched"] > 0.9
