"""The promise of every attack, ours and those of other packages."""

import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from latentveil import plugins
from latentveil.attacks import ATTACKS, LDA, load_attacks
from latentveil.testing import check_attack
from latentveil.testing.scenes import Scene

NAME = "attack_of_mine"
# A secret that is the sign of a product is at chance for any single hyperplane.
NON_LINEAR = ("boosted", "informed", "mlp", "neighbours", "retrieval")


@pytest.mark.parametrize("name", ATTACKS.names())
def test_keeps_the_contract(name):
    check_attack(name)


def test_an_attack_by_import_path_keeps_it():
    check_attack("latentveil.attacks.lda:attack")


def test_an_attack_by_entry_point_keeps_it(monkeypatch):
    elsewhere = type(sys)(NAME)
    elsewhere.attack = LDA(name="mine", shrinkages=(0.1,))
    monkeypatch.setitem(sys.modules, NAME, elsewhere)
    point = EntryPoint("mine", f"{NAME}:attack", "latentveil.attacks")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == point.group else [])
    check_attack("mine")


@pytest.mark.parametrize("name", NON_LINEAR)
def test_finds_a_secret_that_no_hyperplane_shows(name):
    random = np.random.default_rng(1)
    corner = random.integers(2, size=(600, 2))
    feature = np.concatenate([4 * corner, np.zeros((600, 2))], axis=1) + 0.5 * random.normal(size=(600, 4))
    [attack] = load_attacks(name)
    assert Scene.of(feature, corner[:, 0] ^ corner[:, 1]).accuracy(attack) >= 0.95


def test_lda_sees_a_tiny_direction_that_large_ones_drown():
    """The class sits in a direction a thousand times smaller than the rest and turned against the axes."""
    random = np.random.default_rng(7)
    target = random.integers(2, size=600)
    hidden = random.normal(size=(600, 16)) * 10
    hidden[:, 0] = (target - 0.5) * 0.02 + random.normal(size=600) * 0.002
    rotation, _ = np.linalg.qr(random.normal(size=(16, 16)))
    assert Scene.of(hidden @ rotation, target).accuracy(LDA()) >= 0.95
