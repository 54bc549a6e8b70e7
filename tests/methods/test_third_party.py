"""Somebody else's package adds a method, with settings of its own, without touching ours."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import latentveil

MODULE = """
import torch
from latentveil.config import Settings
from latentveil.methods.base import Method
from latentveil.methods.closed_form import affine_adapter

class MineSettings(Settings):
    strength: float = 1.0

def fit(data, settings, **_):
    dim = data.features.dim
    return affine_adapter(settings.strength * torch.eye(dim), torch.zeros(dim))

method = Method(name="mine", fit=fit, about="Features times a number.", Settings=MineSettings)
"""


@pytest.fixture
def package(tmp_path):
    """A folder with the module `theirs` and what pip would write about it."""
    folder = tmp_path / "site"
    about = folder / "theirs-1.0.dist-info"
    about.mkdir(parents=True)
    (folder / "theirs.py").write_text(MODULE)
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text("[latentveil.methods]\nmine = theirs:method\n")
    return folder


def veil(package, *arguments):
    source = Path(latentveil.__file__).parents[1]
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, (package, source)))}
    command = [sys.executable, "-m", "latentveil", *map(str, arguments)]
    return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)


def test_a_package_that_is_installed_adds_a_method(package, toy_folder, tmp_path):
    options = ("fit", toy_folder / "raw", "--labels", toy_folder / "labels.csv")
    done = veil(package, *options, "-o", tmp_path / "a", "--method", "mine", "--set", "strength=2", "--json")
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["method"] == "mine"
    recipe = json.loads((tmp_path / "a" / "config.json").read_text())["recipe"]
    assert recipe["method"] == "mine"
    assert recipe["settings"] == {"train": {"seed": 0, "device": "cpu"}, "strength": 2.0}
    wrong = veil(package, *options, "-o", tmp_path / "b", "--method", "mine", "--set", "erasure.noise=2")
    assert wrong.returncode == 1
    assert "It has train.seed, train.device, strength." in wrong.stderr
