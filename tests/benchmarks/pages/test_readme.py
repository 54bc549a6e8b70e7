"""The README's table is replaced between its marks, and nothing else is touched."""

import json

from benchmarks.pages import readme
from latentveil.bench.recipe import load_recipe


def test_the_table_of_a_small_run_takes_the_place_of_the_old_one(small_run, monkeypatch, tmp_path):
    monkeypatch.setattr(readme, "load_recipe", lambda _: load_recipe(str(small_run.recipe)))
    page = tmp_path / "README.md"
    page.write_text("before\n<!-- results -->\nold\n<!-- end of results -->\nafter\n")
    readme.main([str(small_run.folder), "-o", str(page)])
    text = page.read_text()
    assert text.startswith("before\n<!-- results -->\n| features |")
    assert text.endswith("<!-- end of results -->\nafter\n")
    assert "old" not in text
    entry = json.loads((small_run.folder / "results.jsonl").read_text().splitlines()[0])
    identity = entry["readings"][0]
    assert f"| raw | {identity['worst']['anonymized']['value']:.3f} (0% gone) |" in text
    assert f"Guessing: identity {identity['chance']:.2f}, gender 0.50. Means over seeds 0," in text
    assert "epoch 2" not in text
