"""Damaged files of every kind that is read end with a sentence and status 2, or do no harm."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from pathlib import Path

import pytest

from benchmarks.soak.mutate import mutate_bytes, mutate_json

CASES = 250  # `make soak` tries many more
MOST_MEGABYTES = 500
ROOT = Path(__file__).parents[2]


def test_no_damaged_file_ends_in_a_traceback_a_hang_or_a_full_memory():
    """In a process of its own, which a crash of a decoder would end."""
    pytest.importorskip("onnx")
    command = [sys.executable, "-m", "benchmarks.soak.fuzz", "--cases", str(CASES), "--seed", "20000"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert done.stdout, done.stderr[-3000:]
    found = json.loads(done.stdout)
    findings = {name: kind["findings"] for name, kind in found.items() if kind["findings"]}
    assert not findings
    assert sum(kind["cases"] for kind in found.values()) == CASES
    assert max(kind["megabytes"] for kind in found.values()) < MOST_MEGABYTES
    # Most damage is noticed; what is never noticed would mean that nothing was tried.
    for name in ("Parquet shards", "manifests", "labels", "npy, npz, h5, safetensors", "audit.json"):
        assert found[name]["refused"] > found[name]["cases"] / 2, name


def test_damage_is_drawn_again_from_the_same_seed_and_does_change_something():
    content = bytes(range(256)) * 4
    tree = json.dumps({"a": [1, 2, {"b": "c"}], "d": 0.5}).encode()
    for mutate, sound in ((mutate_bytes, content), (mutate_json, tree)):
        made = [mutate(sound, random.Random(seed)) for seed in range(50)]
        assert made == [mutate(sound, random.Random(seed)) for seed in range(50)]
        assert sum(one != sound for one in made) > 45
