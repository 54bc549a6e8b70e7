"""The README's table of rewritten videos: the best attacker of each row, and shares of what raw video gives away."""

import json

import pytest

from benchmarks.pages.rewritten import rewritten_table
from latentveil.bench.recipe import load_recipe
from latentveil.errors import InputError


def score(value, *, better="low", chance=0.2):
    return {"value": value, "better": better, "chance": chance, "people": 5, "videos": 1200}


@pytest.fixture
def measured(tmp_path):
    """Two seeds of raw video and of SPAct, whose secrets the tuned attacker finds best."""
    recipe = load_recipe("spact1")
    keys = {row.name: row.key for row in recipe.rows}
    values = {"raw": (0.5, 0.6, 0.4), "spact": (0.4, 0.3, 0.35)}
    (tmp_path / "spact1").mkdir()
    for seed, shift in ((0, -0.01), (1, 0.01)):
        entries = []
        for name, (action, scratch, tuned) in values.items():
            scores = {
                "actions": score(action + shift, better="high", chance=0.1),
                "secrets, from scratch": score(scratch + shift),
                "secrets, tuned from raw": score(tuned + shift),
            }
            entries.append({"row": keys[name], "name": name, "seed": seed, "scores": scores})
        (tmp_path / "spact1" / f"seed-{seed}.json").write_text(json.dumps(entries))
    return tmp_path


def test_each_row_is_judged_by_its_best_attacker_against_that_of_raw_video(measured):
    lines = rewritten_table(measured).splitlines()
    assert lines[2] == "| as it is | 0.500 ± 0.127 | 0.600 ± 0.127 (from scratch) | – | 2 |"
    # 0.6 -> 0.35 of what is above 0.2
    assert lines[3] == "| `spact` | 0.400 ± 0.127 | 0.350 ± 0.127 (tuned from raw) | 62% | 2 |"
    assert lines[4] == "| guessing | 0.100 | 0.200 | 100% | |"
    assert "1,200 videos of 5 drawn people" in lines[6]
    assert len(lines) == 7  # nothing of rows that were not run


def test_without_raw_video_there_is_no_table(tmp_path):
    with pytest.raises(InputError, match="the results of spact1 must hold raw video"):
        rewritten_table(tmp_path)
