"""The page shows the table of the bench, then every grader on identity."""

from benchmarks.pages import table5
from benchmarks.pages.doubts import DOUBTS
from benchmarks.pages.loophole import diagnose
from latentveil.bench.recipe import load_recipe


def test_the_page_of_a_small_run(small_run, monkeypatch, tmp_path):
    monkeypatch.setattr(diagnose, "load_recipe", lambda _: load_recipe(str(small_run.recipe)))
    table5.main([str(small_run.folder), "--data", str(small_run.data), "-o", str(tmp_path / "page.md")])
    text = (tmp_path / "page.md").read_text()
    title, _, table = (small_run.folder / "table.md").read_text().partition("\n")
    assert text.startswith(f"{title}\n\n{DOUBTS}\n{table}")
    assert text.count("| stills | MLP, features as they are | MLP, standardised |") == 1
    assert text.count("\n| paper |") == 3
