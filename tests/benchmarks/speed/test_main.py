"""The page of speeds keeps what it has, says when it was measured, and names what could not be."""

import importlib.util
import json
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "write_docs.py"


@pytest.fixture(scope="module")
def docs():
    spec = importlib.util.spec_from_file_location("write_docs", SCRIPT)
    module = importlib.util.module_from_spec(spec)
    sys.modules["write_docs"] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules["write_docs"]


@pytest.fixture
def write(docs, monkeypatch, tmp_path):
    """Write the page with results that are handed over instead of measured; gives its text."""

    def call(results, *, machine="this"):
        outcomes = {
            name: {"when": f"{name} day", "load": 1.0, "machine": {"processor": machine}} | outcome
            for name, outcome in results.items()
        }
        monkeypatch.setattr(docs, "run", lambda benchmark: outcomes[benchmark.script])
        arguments = ["write_docs", "--output", str(tmp_path / "page.md"), "--only", *results]
        monkeypatch.setattr(sys, "argv", arguments)
        with pytest.raises(SystemExit) as left:
            docs.main()
        return left.value.code, (tmp_path / "page.md").read_text()

    return call


def test_every_script_exists_and_has_its_section(docs, write):
    assert all((SCRIPT.parent / f"{benchmark.script}.py").is_file() for benchmark in docs.BENCHMARKS)
    _, page = write({"render_speed": {"found": {"speed": 3.14159}}})
    assert page.count("\n## ") == len(docs.BENCHMARKS) == 7
    assert page.count("Not run yet") == 6
    assert "| speed | 3.142 |" in page


def test_a_section_stays_until_its_benchmark_is_run_again(write, tmp_path):
    write({"render_speed": {"found": {"speed": 1.0}}, "store_speed": {"found": {"rows": 200_000}}})
    _, page = write({"store_speed": {"found": {"rows": 3}}}, machine="other")
    assert "| speed | 1 |" in page
    assert "render_speed day" in page
    assert "| rows | 3 |" in page
    assert "200,000" not in page
    assert page.count("processor other") == 1
    assert set(json.loads((tmp_path / "page.json").read_text())) == {"render_speed", "store_speed"}
    assert write({})[1] == page


def test_what_could_not_be_run_is_told(write):
    status, page = write({"encoder_speed": {"error": "no weights"}})
    assert status == 3
    assert "It could not be run: no weights" in page
