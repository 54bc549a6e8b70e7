"""Several processes train as one does: the same losses from the same seed, and on from a checkpoint after a loss."""

import json
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.errors import UsageError
from latentveil.methods.plan import load_config
from latentveil.methods.ranks import Ranks

SCRIPT = Path(__file__).with_name("two_processes.py")


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """The folders of some trainings, by one process and by two."""
    folder = tmp_path_factory.mktemp("ranks")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(folder)], capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def losses(path):
    return [json.loads(line) for line in path.read_text().splitlines()]


@pytest.mark.parametrize("name", ["time", "batch"])
def test_two_processes_have_the_losses_of_one(runs, name):
    one, two = (losses(runs / f"{name}-{count}" / "log.jsonl") for count in ("one", "two"))
    assert len(one) == len(two) == 3
    for expected, found in zip(one, two):
        assert found == pytest.approx(expected, rel=2e-3, abs=1e-5)
    assert one[0]["static"] != pytest.approx(
        one[2]["static"], rel=0.02
    )  # it learned, so that steps are compared
    assert ("cross" in one[0]) == (name == "time")
    assert ("task_detection" in one[0]) == (name == "batch")


def test_two_processes_end_with_the_weights_of_one(runs):
    states = [
        torch.load(runs / f"time-{count}" / "checkpoint.pt", weights_only=True)["players"]["adapter"]
        for count in ("one", "two")
    ]
    for name, value in states[0].items():
        torch.testing.assert_close(states[1][name], value, rtol=1e-3, atol=2e-4)


def test_a_lost_process_costs_no_more_than_its_epoch(runs):
    assert len(losses(runs / "lost.jsonl")) == 2
    whole, resumed = (losses(runs / f"time-{name}" / "log.jsonl") for name in ("two", "cut"))
    assert resumed == whole


def test_only_a_training_is_shared(monkeypatch):
    monkeypatch.setenv("WORLD_SIZE", "2")
    with pytest.raises(UsageError, match="method must be one that trains under torchrun, got 'pca'"):
        load_config(method="pca").check()
    load_config("paper").check()


def test_a_network_that_mixes_by_batch_norm_is_not_shared():
    with pytest.raises(
        UsageError, match="must be one without batch norm and dropout under torchrun, got 'mlp'"
    ):
        Ranks(2, 0).require_shareable(Adapter(dim=8, architecture="mlp"))
    Ranks(1, 0).require_shareable(Adapter(dim=8, architecture="mlp"))
    Ranks(2, 0).require_shareable(Adapter(dim=8, heads=2))
