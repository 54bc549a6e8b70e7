"""The page's numbers, worked by hand from two heads."""

import pytest

from benchmarks.pages.table4.page import falls_table, frontier_table, secret_table, subset_table, verdict


def entry(name, fitted_for, *, action, anomaly, leak, seed=0, kinds=("temporal", "static")):
    """Two tasks with a score for each head, and one secret."""
    tasks = {
        task: {"metric": "top1", "chance": 0.1, "values": values, "interval": {"low": 0.1, "high": 0.9}}
        for task, values in (("action", action), ("anomaly", anomaly))
    }
    attacks = {"lda": leak, "mlp": 0.5}
    readings = [
        {"secret": "gender", "kind": kind, "metric": "average_precision", "chance": 0.5, "attacks": attacks}
        for kind in kinds
    ]
    return {
        "row": f"{name} {fitted_for}",
        "name": name,
        "fitted_for": list(fitted_for),
        "changes": [],
        "seed": seed,
        "fit_seconds": 3.0,
        "tasks": tasks,
        "readings": readings,
    }


RAW = entry("raw", (), action=[0.8, 0.8], anomaly=[0.5, 0.5], leak=0.9)
MINE = entry("mine", ("action",), action=[0.8, 0.8], anomaly=[0.4, 0.4], leak=0.6)


def test_scores_their_shares_of_raw_and_what_was_fitted_for():
    assert "| mine | action | **0.800 ± 0.000 (100%)** | 0.400 ± 0.000 (80%) | 3 |" in subset_table(
        [RAW, MINE]
    )


def test_the_verdict_counts_unseen_tasks_only():
    (line,) = [line for line in verdict([RAW, MINE]) if line.startswith("| mine")]
    assert line == "| mine | 0.800 |  | 0.800 | 0 of 1 | 0.800 (anomaly, fitted for action) |"


def test_an_adapter_that_was_fitted_for_every_task_has_no_verdict():
    """It may be the first that is measured, and the page is written after every row."""
    both = entry("both", ("action", "anomaly"), action=[0.8], anomaly=[0.5], leak=0.6)
    assert not [line for line in verdict([RAW, both]) if line.startswith("| both")]


def test_the_best_attack_on_clips_and_stills():
    lines = secret_table([RAW, MINE])
    assert "| adapter | fitted for | gender, clips | gender, stills |" in lines
    assert "| mine | action | 0.600 | 0.600 |" in lines
    assert lines[-1] == (
        "Measures and guessing: gender, clips: average precision, 0.50; gender, stills: average precision, 0.50."
    )


def test_the_dial_shows_unseen_tasks_and_the_worst_leak():
    rows = [
        entry("ratio 1", ("action",), action=[0.8], anomaly=[0.4], leak=0.6, kinds=("temporal",)),
        entry("ratio 1", ("anomaly",), action=[0.4], anomaly=[0.5], leak=0.7, kinds=("temporal",)),
    ]
    raw = entry("raw", (), action=[0.8], anomaly=[0.5], leak=0.9, kinds=("temporal",))
    lines = frontier_table([raw, *rows])
    assert "| `ratio 1` | 50% | 80% | 0.700 |" in lines
    assert lines[-1] == "Raw features here: action 0.800, anomaly 0.500; gender 0.900."


@pytest.mark.parametrize("splits", [1, 2])
def test_falls_are_means_over_splits(splits):
    entries = [
        replaced for seed in range(splits) for replaced in (RAW | {"seed": seed}, MINE | {"seed": seed})
    ]
    spread = " ± 0.000" if splits > 1 else ""
    assert f"| mine | action | **0.800{spread} (100%)** | 0.400{spread} (80%) |" in falls_table(entries)
