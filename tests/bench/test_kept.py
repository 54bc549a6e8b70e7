"""Results that are kept beside the pages: a later run goes on from them, and a newer number wins."""

import json

from latentveil.bench.kept import sync_results
from latentveil.bench.runner import read_results


def entry(row, seed, value):
    return {"row": row, "name": row, "seed": seed, "scores": {"leak": {"value": value, "better": "low"}}}


def write_run(runs, *entries):
    (runs / "mine").mkdir(parents=True, exist_ok=True)
    (runs / "mine" / "results.jsonl").write_text("".join(json.dumps(one) + "\n" for one in entries))


def test_a_new_machine_gets_what_was_kept_and_gives_what_it_adds(tmp_path):
    here, there, measured = tmp_path / "here", tmp_path / "there", tmp_path / "measured"
    write_run(here, entry("raw", 0, 0.9), entry("raw", 1, 0.8))
    assert [path.name for path in sync_results(here, measured)] == ["seed-0.json", "seed-1.json"]

    sync_results(there, measured)
    assert read_results(there / "mine" / "results.jsonl") == read_results(here / "mine" / "results.jsonl")

    write_run(there, *read_results(there / "mine" / "results.jsonl"), entry("veil", 0, 0.4))
    sync_results(there, measured)
    sync_results(here, measured)
    found = read_results(here / "mine" / "results.jsonl")
    assert [(one["seed"], one["row"]) for one in found] == [(0, "raw"), (0, "veil"), (1, "raw")]


def test_what_was_run_last_counts(tmp_path):
    runs, measured = tmp_path / "runs", tmp_path / "measured"
    write_run(runs, entry("raw", 0, 0.9))
    sync_results(runs, measured)
    write_run(runs, entry("raw", 0, 0.7))
    sync_results(runs, measured)
    [kept] = json.loads((measured / "mine" / "seed-0.json").read_text())
    assert kept["scores"]["leak"]["value"] == 0.7
