"""Results kept in git: runs add to them, go on from them, and pages need nothing else."""

import json

import pytest

from latentveil.bench import measured
from latentveil.bench.measured import (
    keep_results,
    keep_spent,
    read_kept_spent,
    read_measured,
    restore_results,
)
from latentveil.bench.spent import Spent, add_spent
from latentveil.errors import InputError


def write_run(runs, name, entries):
    (runs / name).mkdir(parents=True, exist_ok=True)
    (runs / name / "results.jsonl").write_text("".join(json.dumps(entry) + "\n" for entry in entries))


def entry(row, seed, value):
    return {"row": row, "seed": seed, "value": value}


def test_seeds_of_several_sessions_add_up_and_the_newer_measurement_stays(tmp_path):
    kept = tmp_path / "kept"
    write_run(tmp_path / "first", "table5", [entry("a", 0, 1.0), entry("a", 1, 2.0)])
    write_run(tmp_path / "second", "table5", [entry("a", 1, 2.5), entry("b", 0, 3.0)])
    keep_results(tmp_path / "first", kept)
    keep_results(tmp_path / "second", kept)
    assert sorted(path.name for path in (kept / "table5").iterdir()) == ["seed-0.json", "seed-1.json"]
    assert read_measured(kept / "table5") == [entry("a", 0, 1.0), entry("b", 0, 3.0), entry("a", 1, 2.5)]


def test_a_run_goes_on_from_what_is_kept_and_keeps_its_own(tmp_path):
    kept, runs = tmp_path / "kept", tmp_path / "runs"
    write_run(tmp_path / "before", "table5", [entry("a", 0, 1.0), entry("b", 0, 2.0)])
    keep_results(tmp_path / "before", kept)
    write_run(runs, "table5", [entry("a", 0, 9.0)])
    (path,) = restore_results(kept, runs)
    found = [json.loads(line) for line in path.read_text().splitlines()]
    assert found == [entry("a", 0, 9.0), entry("b", 0, 2.0)]
    assert restore_results(kept, runs) == []


def test_what_quick_and_whole_runs_took_is_kept_side_by_side(tmp_path):
    for number, (name, length) in enumerate((("table5", "quick"), ("table5", "whole"), ("table9", "whole"))):
        runs = tmp_path / f"{name}-{length}"
        (runs / name).mkdir(parents=True)
        add_spent(runs / name, length, Spent(10.0 * number, 5.0, 2))
        keep_spent(runs, tmp_path / "kept")
    found = read_kept_spent(tmp_path / "kept")
    assert found["table5"] == {"quick": Spent(0.0, 5.0, 2), "whole": Spent(10.0, 5.0, 2)}
    assert found["table9"] == {"whole": Spent(20.0, 5.0, 2)}


def test_large_files_are_refused(tmp_path, monkeypatch):
    monkeypatch.setattr(measured, "LARGEST_FILE", 50)
    write_run(tmp_path / "runs", "table5", [entry("a" * 60, 0, 1.0)])
    with pytest.raises(InputError, match="kept results must be at most 50 bytes a file"):
        keep_results(tmp_path / "runs", tmp_path / "kept")
