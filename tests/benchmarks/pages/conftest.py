"""A small run of a bench, for the pages that are written from one."""

import json
from dataclasses import dataclass
from pathlib import Path

import pytest

from latentveil.bench.run import run_bench

RECIPE = """
title = "Small"
secrets = ["identity", "gender"]
attacks = ["lda"]
curve_attacks = ["lda"]
num_seen = 3

[[rows]]
name = "raw"
changes = ["method=identity"]

[[rows]]
name = "paper"
preset = "paper"
changes = ["adapter.init=exact", "adapter.layers=1", "adapter.heads=4", "train.epochs=5"]
checkpoints = [2]

[[rows]]
name = "veil"
"""


@dataclass(frozen=True)
class SmallRun:
    """The file of the recipe, the data, and the folder of results."""

    recipe: Path
    data: Path
    folder: Path


@pytest.fixture(scope="session")
def small_run(toy_with_six_actions, write_store, tmp_path_factory):
    path = tmp_path_factory.mktemp("small")
    write_store(path / "data" / "raw.store", toy_with_six_actions.features)
    toy_with_six_actions.labels.write(path / "data" / "labels.csv")
    (path / "small.toml").write_text(RECIPE)
    found = run_bench(str(path / "small.toml"), data=path / "data", output=path, seeds=1)
    for entry in found.entries:  # attacks that take minutes; the pages do not mind who found a number
        for reading in entry["readings"]:
            reading["attacks"] |= dict.fromkeys(("linear", "mlp"), reading["attacks"]["lda"])
    lines = [json.dumps(entry) + "\n" for entry in found.entries]
    (found.folder / "results.jsonl").write_text("".join(lines))
    return SmallRun(path / "small.toml", path / "data", found.folder)
