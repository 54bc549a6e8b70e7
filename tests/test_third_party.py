"""Somebody else's package of a few lines adds plug-ins without touching ours: pip installs it, and the names work."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

# The source of each plug-in in the package, by its entry point "<group> <name>".
PLUGINS = {
    "latentveil.attacks mine": """
import numpy as np
from latentveil.attacks.base import Attack, FittedAttack

class NearestMean(Attack):
    name, about = "mine", "The class with the nearest mean feature."

    def fit(self, knowledge, *, seed):
        known, answers = knowledge.everything, np.eye(knowledge.num_classes)
        classes = np.unique(known.target)
        means = np.stack([known.feature[known.target == c].mean(axis=0) for c in classes])
        def probabilities(feature):
            return answers[classes[((feature[:, None] - means) ** 2).sum(axis=2).argmin(axis=1)]]
        return FittedAttack(probabilities, (0.0, 0.0))

plugin = NearestMean()
""",
}


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """The variables of a process in which the package is installed, by pip and without a network."""
    pytest.importorskip("setuptools", reason="pip builds the package with the setuptools at hand")
    source, site = tmp_path_factory.mktemp("source"), tmp_path_factory.mktemp("site")
    _write_package(source)
    command = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-index"]
    command += ["--no-deps", "--no-build-isolation", "--target", str(site), str(source)]
    subprocess.run(command, check=True, capture_output=True)
    path = os.pathsep.join([*filter(None, sys.path), str(site)])
    return {**os.environ, "PYTHONPATH": path}


def _write_package(folder: Path) -> None:
    lines = [
        '[project]\nname = "somebody-elses"\nversion = "1.0"\n\n[tool.setuptools]\npackages = ["elses"]\n'
    ]
    (folder / "elses").mkdir()
    (folder / "elses" / "__init__.py").write_text("")
    for number, (point, source) in enumerate(PLUGINS.items()):
        group, name = point.split()
        (folder / "elses" / f"plugin_{number}.py").write_text(source)
        lines.append(f'[project.entry-points."{group}"]\n{name} = "elses.plugin_{number}:plugin"\n')
    (folder / "pyproject.toml").write_text("\n".join(lines))


@pytest.fixture
def run(environment, tmp_path):
    """Runs Python in a folder of its own with the package installed; returns what it printed."""

    def run_python(*arguments: object) -> str:
        command = [sys.executable, *map(str, arguments)]
        done = subprocess.run(
            command, env=environment, cwd=tmp_path, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    return run_python


def test_the_attack_is_found_by_its_name_beside_ours_and_keeps_the_contract(run):
    program = """
from latentveil.attacks import load_attacks
from latentveil.testing import check_attack
print(*(attack.name for attack in load_attacks(["mine", "linear"])))
print(*(attack.name for attack in load_attacks("all")))
check_attack("mine")
"""
    chosen, everything = run("-c", program).splitlines()
    assert chosen == "mine linear"
    assert {"mine", "linear", "lda"} < set(everything.split())


def test_veil_audit_takes_it_by_name_and_one_in_the_working_folder_by_import_path(run, toy_folder, tmp_path):
    (tmp_path / "at_home.py").write_text(PLUGINS["latentveil.attacks mine"].replace('"mine"', '"homely"'))
    raw, labels = toy_folder / "raw", toy_folder / "labels.csv"
    options = ["--secrets", "gender", "--tasks", "none", "--recipient", "none"]
    options += ["--attacks", "mine,lda,at_home:plugin"]
    run("-m", "latentveil", "audit", raw, raw, "--labels", labels, "-o", tmp_path / "audit", *options)
    audit = json.loads((tmp_path / "audit" / "audit.json").read_text())
    for secret in audit["secrets"].values():
        assert set(secret["attacks"]) == {"mine", "lda", "homely"}
        mine, homely = (secret["attacks"][name]["raw"]["value"] for name in ("mine", "homely"))
        assert mine == homely > 0.6  # half of the people are of each gender
