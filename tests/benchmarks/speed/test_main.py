"""The page of speeds keeps what it has, says when it was measured, and names what could not be."""

import json
from importlib.util import find_spec

import pytest

from benchmarks.speed import __main__ as speed


@pytest.fixture
def write(monkeypatch, tmp_path):
    """Write the page with results that are handed over instead of measured; gives its text."""

    def call(results, *, machine="this"):
        outcomes = {
            name: {"when": f"{name} day", "load": 1.0, "machine": {"processor": machine}} | outcome
            for name, outcome in results.items()
        }
        monkeypatch.setattr(speed, "run", lambda benchmark: outcomes[benchmark.name])
        with pytest.raises(SystemExit) as left:
            speed.main(["--output", str(tmp_path / "page.md"), "--only", *results])
        return left.value.code, (tmp_path / "page.md").read_text()

    return call


def test_every_program_exists_and_has_its_section(write):
    assert all(find_spec(f"benchmarks.speed.{benchmark.name}") for benchmark in speed.BENCHMARKS)
    _, page = write({"render": {"found": {"speed": 3.14159}}})
    assert page.count("\n## ") == len(speed.BENCHMARKS)
    assert page.count("Not run yet") == len(speed.BENCHMARKS) - 1
    assert "| speed | 3.142 |" in page


def test_a_section_stays_until_its_benchmark_is_run_again(write, tmp_path):
    write({"render": {"found": {"speed": 1.0}}, "store": {"found": {"rows": 200_000}}})
    _, page = write({"store": {"found": {"rows": 3}}}, machine="other")
    assert "| speed | 1 |" in page
    assert "render day" in page
    assert "| rows | 3 |" in page
    assert "200,000" not in page
    assert page.count("processor other") == 1
    assert set(json.loads((tmp_path / "page.json").read_text())) == {"render", "store"}
    assert write({})[1] == page


def test_what_could_not_be_run_is_told(write):
    status, page = write({"encoder": {"error": "no weights"}})
    assert status == 3
    assert "It could not be run: no weights" in page


def test_a_program_is_run_from_the_root_and_its_numbers_are_read():
    """The quickest of them, on little."""
    benchmark = speed.Benchmark(
        "render", "", "", ("--json", "--videos", "3", "--repeats", "1", "--size", "32")
    )
    found = speed.run(benchmark)
    assert found["found"]["size"] == 32
    assert found["found"]["frames_per_second_per_core"] > 0
    assert "unrecognized" in speed.run(speed.Benchmark("render", "", "", ("--nothing",)))["error"]
