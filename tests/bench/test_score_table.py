"""A table of scores: the paper's number beside ours, the people behind it, CSV, picture, curves and pages."""

import csv
import json
import re
from io import StringIO

import pytest

from latentveil.bench.index import write_pages
from latentveil.bench.measured import keep_results
from latentveil.bench.plot import render_plot
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.recipe import Recipe, load_recipe
from latentveil.bench.rows import Row, Sweep
from latentveil.bench.run import gather
from latentveil.bench.score_table import render_csv, render_missing, render_page, render_trainings
from latentveil.bench.scores import Entries, Score, mean_in_words
from latentveil.bench.tradeoff import render_tradeoff

LEAK, USE = "nm", "actions"


@pytest.fixture(scope="module")
def recipe():
    return Recipe.model_validate(
        {
            "title": "Walks",
            "protocol": "gait",
            "components": 16,
            "secrets": (),
            "plot": (LEAK, USE),
            "paper": {"source": "Table 6", "columns": {LEAK: "CASIA-B top-1"}},
            "rows": [
                {"name": "raw", "changes": ["method=identity"], "paper": {LEAK: 69.73}},
                {"name": "ours", "changes": ["method=noise"], "paper": {LEAK: 53.45}, "curve": "noise"},
                {"name": "never run", "changes": ["method=pca"]},
            ],
            "claims": [
                {
                    "text": "It falls.",
                    "source": "Table 6",
                    "comparisons": [{"column": LEAK, "row": "ours", "is": "lower"}],
                }
            ],
        }
    )


def entry(recipe, name, seed, leak, use):
    """A line of a results file."""
    row = next(row for row in recipe.rows if row.name == name)
    scores = {
        LEAK: Score(
            leak,
            "low",
            chance=0.1,
            low=leak - 0.1,
            high=leak + 0.1,
            by="cosine",
            people=12,
            videos=48,
            recordings=3,
            halves=(leak - 0.1, leak + 0.1),
            groups=8,
        ),
        USE: Score(use, "high", chance=0.2, low=use - 0.1, high=use + 0.1, people=5, videos=60),
    }
    found = {column: score.to_dict() for column, score in scores.items()}
    why = {"linking, other recording": "nobody was filmed twice"}
    return {"row": row.key, "name": name, "seed": seed, "scores": found, "unmeasured": why}


@pytest.fixture(scope="module")
def lines(recipe):
    raw = [entry(recipe, "raw", seed, leak, 0.8) for seed, leak in enumerate((0.7, 0.71, 0.72))]
    return raw + [entry(recipe, "ours", seed, leak, 0.7) for seed, leak in enumerate((0.5, 0.51, 0.52))]


@pytest.fixture(scope="module")
def found(lines):
    protocol = PROTOCOLS.get("gait")
    return Entries.gather(lines, [protocol.scores(line) for line in lines])


def test_the_papers_number_stands_beside_ours(recipe, found):
    page = render_page("mine", recipe, found, PROTOCOLS.get("gait"), plot="mine.svg")
    assert "| method | nm | paper: CASIA-B top-1 | actions |" in page
    assert "| raw | 0.710 ± 0.025 | 0.697 | 0.800 ± 0.000 |" in page
    assert "| ours | 0.510 ± 0.025 | 0.534 | 0.700 ± 0.000 |" in page
    assert "| never run |" not in page
    assert "Not measured yet: `never run`." in page
    assert page.startswith("# Walks, 16 principal components\n")
    assert "](mine.svg)" in page
    assert "16 principal components of the training videos, not centred" in page


def test_people_videos_recordings_and_guessing_stand_behind_every_column(recipe, found):
    page = render_page("mine", recipe, found, PROTOCOLS.get("gait"))
    assert "| nm | low | 0.100 | 0.710 | 12 | 48 | 3 | cosine | yes |" in page
    assert "| actions | high | 0.200 | 0.800 | 5 | 60 | – | – | no: only 5 people stand behind it |" in page
    assert "do not allow it: linking, other recording (nobody was filmed twice)." in page
    assert "It falls. (Table 6): **holds here**" in page


def test_the_csv_has_every_row_and_column(recipe, found):
    rows = list(csv.DictReader(StringIO(render_csv(recipe, found))))
    assert [(row["row"], row["column"]) for row in rows] == [
        (name, column) for name in ("raw", "ours") for column in (LEAK, USE)
    ]
    assert float(rows[0]["mean"]) == pytest.approx(0.71)
    assert float(rows[0]["paper"]) == pytest.approx(0.6973)
    assert (rows[1]["paper"], rows[0]["people"], rows[0]["seeds"]) == ("", "12", "3")


def test_the_same_scores_give_the_same_picture(recipe, found):
    first = render_plot(recipe, found)
    assert first == render_plot(recipe, found)
    assert first.startswith("<svg xmlns")
    assert "ours" in first


def test_a_curve_has_an_area_and_its_normalisers_are_printed(recipe, found):
    text = "\n".join(render_tradeoff(recipe, found))
    # utility (0.7 - 0.2) / 0.6 times privacy 0.2 / (0.7 - 0.1), and so on for the other seeds
    areas = [5 / 6 * 0.2 / (raw - 0.1) for raw in (0.7, 0.71, 0.72)]
    assert f"| noise | {sum(areas) / 3:.3f} ±" in text
    assert "ours: 0.595 ±" in text  # Eq. 14: (0.7 + 1 - 0.51) / 2
    assert "seed 0: attack 0.700 (guessing 0.100), task 0.800 (guessing 0.200)" in text


def test_a_sweep_is_a_row_for_each_value():
    sweep = Sweep(
        name="weight {value}",
        setting="loss.consistency",
        values=(0, 10),
        preset="released",
        paper=({LEAK: 1}, {LEAK: 2}),
    )
    rows = sweep.rows()
    assert [row.name for row in rows] == ["weight 0", "weight 10"]
    assert [row.config(seed=0).settings.loss.consistency for row in rows] == [0, 10]
    assert rows[1].paper == {LEAK: 2}
    recipe = Recipe.model_validate({"title": "Sweep", "sweeps": [sweep.model_dump()]})
    assert recipe.rows == rows


def test_rows_for_other_tasks_or_fewer_people_are_other_rows():
    assert Row(name="a").key == "a veil"
    assert Row(name="a", tasks=("anomaly",)).key != Row(name="a").key != Row(name="a", people=0.5).key


def test_pages_and_an_index_with_a_verdict_for_every_claim(tmp_path):
    recipe = load_recipe("table6")
    names = {"raw": 0.7, "with consistency": 0.6, "without consistency": 0.3}
    folder = tmp_path / "runs" / "table6"
    folder.mkdir(parents=True)
    lines = [
        json.dumps(entry(recipe, name, seed, leak + seed / 100, 0.8)) + "\n"
        for name, leak in names.items()
        for seed in range(3)
    ]
    (folder / "results.jsonl").write_text("".join(lines))
    keep_results(tmp_path / "runs", tmp_path / "measured")
    pages = write_pages(tmp_path / "measured", tmp_path / "docs")
    assert [page.name for page in pages] == ["table6.md", "index.md"]
    assert (tmp_path / "docs" / "table6.svg").is_file()
    index = (tmp_path / "docs" / "index.md").read_text()
    holds = index.partition("## Holds here")[2].partition("##")[0]
    assert "| Without consistency it falls further. | Table 6 | [table6](table6.md) | " in holds
    (tmp_path / "docs" / "table3.md").write_text("Of an earlier session.")
    write_pages(tmp_path / "measured", tmp_path / "docs")
    assert (
        "not kept and give no verdict here: [table3](table3.md)."
        in (tmp_path / "docs" / "index.md").read_text()
    )
    not_run = index.partition("## Not run")[2].partition("##")[0]
    assert "`veil bench table2` | it needs the data `actors` |" in not_run
    count, looked_at = (int(word) for word in re.search(r"Of (\d+) claims, (\d+) were", index).groups())
    assert count - looked_at == not_run.count("`veil bench ")
    assert "| Table 6 | 2 |  |  |  |" in index
    assert index.index("| Table 6 |") < index.index("| Table 10 |") < index.index("| SPAct |")


def test_the_index_tells_what_was_changed_after_looking(tmp_path):
    (tmp_path / "measured").mkdir()
    write_pages(tmp_path / "measured", tmp_path / "docs")
    assert "after looking" not in (tmp_path / "docs" / "index.md").read_text()
    (tmp_path / "measured" / "history.md").write_text("1. The rate fell later.\n")
    write_pages(tmp_path / "measured", tmp_path / "docs")
    assert (
        "## What was changed after looking\n\n1. The rate fell later.\n"
        in (tmp_path / "docs" / "index.md").read_text()
    )


def test_a_page_says_which_rows_and_seeds_are_missing(recipe):
    lines = [entry(recipe, "raw", seed, 0.7, 0.8) for seed in range(2)] + [entry(recipe, "ours", 1, 0.5, 0.8)]
    told = render_missing(recipe, gather(recipe, lines))
    assert told[1::2] == [
        "Not measured yet: `never run`.",
        "Measured under some seeds only: `ours` (seeds 1).",
    ]
    assert (
        render_missing(recipe.model_copy(update={"rows": recipe.rows[:1]}), gather(recipe, lines[:2])) == []
    )


def test_a_page_says_what_every_training_did(recipe):
    def trained(seed, last, *, converged):
        training = {"epochs": 5, "first": {"static": 4.5}, "last": {"static": last}, "converged": converged}
        return entry(recipe, "ours", seed, 0.5, 0.8) | {"training": training}

    lines = [
        entry(recipe, "raw", 0, 0.7, 0.8),
        trained(1, 24.5, converged=False),
        trained(0, 5.25, converged=True),
    ]
    told = render_trainings(gather(recipe, lines))
    assert told[-4:-1] == [
        "|---|---|---|---|---|",
        "| ours | 0 | 5 | 4.5 → 5.25 | yes |",
        "| ours | 1 | 5 | 4.5 → 24.5 | no |",
    ]
    assert render_trainings(gather(recipe, lines[:1])) == []


def test_one_seed_is_no_mean():
    assert mean_in_words([3]).startswith("Every number is of seed 3 alone")
    assert "mean over seeds 0, 2, ±" in mean_in_words([0, 2])
