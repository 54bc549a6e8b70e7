"""Every example runs as it stands, in an empty folder, and prints what it promises."""

import json
import runpy
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
NO_EXAMPLE = {"invented_people"}  # it serves the others
PROGRAMS = sorted(path for path in EXAMPLES.glob("*.py") if path.stem not in NO_EXAMPLE)
NOTEBOOKS = sorted(EXAMPLES.glob("*.ipynb"))
MOST_LINES = 110

# What a reader should find afterwards: words on standard output, and files.
PROMISES = {
    "attack_of_my_own": (("keeps the contract", "gender"), ()),
    "features_i_have": (("gender", "identity"), ("adapter/config.json", "audit/report.html")),
    "method_of_my_own": (("keeps the contract", "noise 1.0"), ()),
    "papers_table": (("| raw |", "| veil |", "| released |"), ()),
    "protect_an_encoder": (("gender",), ("adapter/config.json",)),
    "sign_off_a_release": (("Within the limits",), ("audit/audit.json",)),
    "videos_i_have": (("scene", "64 videos"), ("safe.store/manifest.json", "audit/report.html")),
}


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(EXAMPLES)
    yield
    for name in NO_EXAMPLE:
        sys.modules.pop(name, None)


def test_no_example_is_without_a_promise():
    assert {path.stem for path in PROGRAMS} == set(PROMISES)


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_an_example_runs_and_keeps_its_promise(path, capsys, monkeypatch):
    monkeypatch.setattr(sys, "argv", [str(path)])
    assert _exit_status(path) == 0
    printed = capsys.readouterr().out
    words, files = PROMISES[path.stem]
    for word in words:
        assert word in printed
    for name in files:
        assert Path(name).is_file()


def _exit_status(path):
    """Run the program as `python path` would."""
    try:
        runpy.run_path(str(path), run_name="__main__")
    except SystemExit as left:
        return left.code or 0
    return 0


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_top_to_bottom(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    names: dict[str, object] = {"__name__": "__main__"}
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            assert not cell["outputs"], "a notebook is kept without its outputs"
            exec(compile("".join(cell["source"]), str(path), "exec"), names)
    assert "<" in names["audit"]._repr_html_()  # what the last cell shows


def test_examples_are_short():
    for path in PROGRAMS:
        assert len(path.read_text().splitlines()) < MOST_LINES, path.name
