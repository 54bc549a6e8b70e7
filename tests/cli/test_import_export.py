from __future__ import annotations

import json
import subprocess
import sys

import numpy as np
import pytest

from latentveil.store import FeatureStore

VEIL = [sys.executable, "-c", "from latentveil.cli.main import main; main()"]


def veil(*arguments) -> subprocess.CompletedProcess:
    return subprocess.run([*VEIL, *map(str, arguments)], capture_output=True, text=True, timeout=60)


@pytest.fixture
def folder(tmp_path):
    """Two videos as .npy files, one with static clips."""
    (tmp_path / "in" / "static").mkdir(parents=True)
    np.save(tmp_path / "in" / "a.npy", np.arange(6.0, dtype=np.float32).reshape(3, 2))
    np.save(tmp_path / "in" / "b.npy", np.ones((1, 2), np.float32))
    np.save(tmp_path / "in" / "static" / "a.npy", np.zeros((2, 2), np.float32))
    return tmp_path / "in"


def test_import_verify_export(tmp_path, folder):
    done = veil(
        "import", folder, "-o", tmp_path / "s", "--encoder", "i3d", "--fps", "25", "--stride-frames", "8"
    )
    assert done.returncode == 0, done.stderr
    assert "2 videos, 4 temporal and 2 static clips of 2 numbers" in done.stderr
    manifest = FeatureStore(tmp_path / "s").manifest
    assert (manifest.encoder.name, manifest.fps, manifest.sampling.stride_frames) == ("i3d", 25.0, 8)

    checked = veil("verify", tmp_path / "s", "--json")
    assert checked.returncode == 0, checked.stderr
    assert json.loads(checked.stdout) == {"store": str(tmp_path / "s"), "intact": True, "problems": []}

    written = veil("export", tmp_path / "s", "--npy", tmp_path / "out")
    assert written.returncode == 0, written.stderr
    for path in folder.rglob("*.npy"):
        np.testing.assert_array_equal(np.load(tmp_path / "out" / path.relative_to(folder)), np.load(path))


def test_bad_input_leaves_with_2_and_one_sentence(tmp_path, folder):
    np.save(folder / "b.npy", np.full((1, 2), np.nan))
    done = veil("import", folder, "-o", tmp_path / "s")
    assert done.returncode == 2
    assert "b.npy" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_corrupt_shard_leaves_verify_with_2_and_its_name(tmp_path, folder):
    assert veil("import", folder, "-o", tmp_path / "s").returncode == 0
    (shard,) = (tmp_path / "s").glob("shard-*")
    broken = bytearray(shard.read_bytes())
    broken[len(broken) // 3] ^= 0xFF
    shard.write_bytes(broken)
    done = veil("verify", tmp_path / "s", "--json")
    assert done.returncode == 2
    assert shard.name in done.stderr
    (problem,) = json.loads(done.stdout)["problems"]
    assert problem.startswith(shard.name)


def test_wrong_use_leaves_with_1(tmp_path, folder):
    assert veil("import", "-o", tmp_path / "s").returncode == 1
    assert veil("export", tmp_path / "s").returncode == 1
    assert veil("export", tmp_path / "s", "--npy", "x", "--h5", "y").returncode == 1
