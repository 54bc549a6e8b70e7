"""A short soak: kills, a full disk, a lying lock and a bomb, in a process of its own that may fork."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.soak.children import Ended, wrong_with
from benchmarks.soak.page import render

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, sys
from pathlib import Path
from benchmarks.soak import bombs, commands, faults, kills

place, seed = Path(sys.argv[1]), int(sys.argv[2])
world = place / "world"
commands.write_world(world)
faults.WRITERS = ("extract", "fit, closed form", "fit, pixel", "export")

def new(name):
    (place / name).mkdir()
    return place / name

print(json.dumps({
    "kills": {
        name: kills.soak_kills(name, kills=2, seed=seed, place=new(name), world=world)
        for name in ("extract", "fit, trained", "export")
    },
    "faults": {
        name: faults.soak_fault(name, place=new(name), world=world, seed=seed, tries=1)
        for name in ("full disk", "lying lock", "lying share")
    },
    "bombs": {
        bomb.what: bombs.soak_bomb(bomb.what, place=new(bomb.what), world=world)
        for bomb in bombs.BOMBS if "0.2 s allowed" in bomb.what
    },
}))
"""


@pytest.fixture(scope="module")
def soaked(tmp_path_factory):
    pytest.importorskip("onnx")
    place = tmp_path_factory.mktemp("soak")
    command = [sys.executable, "-c", PROGRAM, str(place), "4321"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout, done.stderr[-3000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_killed_commands_lose_double_and_change_nothing(soaked):
    found = soaked["kills"]
    assert sum(one["kills"] for one in found.values()) == 6
    for name, one in found.items():
        assert not one["findings"], name
        assert one["lost"] == one["double"] == one["differing"] == 0


@pytest.mark.parametrize("fault", ["full disk", "lying lock", "lying share"])
def test_a_fault_of_the_machine_is_a_sentence(soaked, fault):
    found = soaked["faults"][fault]
    if not found["tried"]:
        pytest.skip(found["what"])
    assert not found["findings"]


def test_a_bomb_is_listed_as_failed(soaked):
    assert len(soaked["bombs"]) == 2
    for one in soaked["bombs"].values():
        assert (one["status"], one["findings"]) == (3, [])


def test_the_page_is_written_from_what_was_measured(soaked):
    page = render(soaked)
    assert "6 kills with SIGKILL" in page
    assert "| lying share | 1 |" in page
    assert "do not edit" in page


@pytest.mark.parametrize(
    ("status", "said", "is_wrong"),
    [(2, "veil: no", False), (0, "", True), (2, "no sentence", True), (2, "veil: x\nTraceback (most", True),
     (-11, "veil: x", True), (70, "", True)],
)  # fmt: skip
def test_what_counts_as_a_finding(status, said, is_wrong):
    assert bool(wrong_with(Ended(status, said, 0.0, 0.0), 2)) == is_wrong
