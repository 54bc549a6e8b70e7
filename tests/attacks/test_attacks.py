"""How attacks are asked for: by name, by import path, as objects with parameters, or all of them."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import numpy as np
import pytest

from latentveil import attacks, plugins
from latentveil.attacks import ATTACKS, LDA, MLP, Boosted, Linear, Neighbours, Transfer, load_attacks
from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.errors import InputError

OWN = [
    "boosted",
    "course",
    "informed",
    "lda",
    "linear",
    "mlp",
    "neighbours",
    "paired",
    "quadratic",
    "retrieval",
    "transfer",
]


def names(found):
    return [attack.name for attack in found]


def test_by_name_in_the_order_of_asking():
    assert names(load_attacks(["mlp", "lda"])) == ["mlp", "lda"]
    assert names(load_attacks("lda")) == ["lda"]
    assert names(load_attacks()) == names(load_attacks("all")) == OWN


def test_objects_names_and_import_paths_mix():
    wide = MLP(hidden=512, name="wide")
    found = load_attacks([wide, "linear", "latentveil.attacks.lda:attack"])
    assert found[0] is wide
    assert names(found) == ["wide", "linear", "lda"]
    assert load_attacks(wide) == [wide]
    assert names(load_attacks(["all", wide])) == [*OWN, "wide"]


def test_all_includes_those_of_installed_packages(monkeypatch):
    point = EntryPoint("also_linear", "tests_elsewhere:attack", "latentveil.attacks")
    monkeypatch.setattr(plugins, "entry_points", lambda group: [point] if group == point.group else [])
    elsewhere = type(sys)("tests_elsewhere")
    elsewhere.attack = Linear(name="also_linear")
    monkeypatch.setitem(sys.modules, "tests_elsewhere", elsewhere)
    assert names(load_attacks()) == sorted([*OWN, "also_linear"])


@pytest.mark.parametrize("twice", [["mlp", MLP(hidden=8)], [LDA(), LDA()], ["lda", "lda"], ["all", "lda"]])
def test_two_of_one_name_are_refused(twice):
    with pytest.raises(InputError, match=r"attacks must have a name each, got '(mlp|lda)' twice. Name one"):
        load_attacks(twice)


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (["lad"], "attack must be one of boosted, .*, got 'lad'"),
        ([], "attacks must name at least one attack, got none"),
        ([MLP], r"attack must be an object, got the class MLP. Write MLP\(\)"),
        ([3], "attack must be of type Attack, got int"),
        ([LDA(name="")], "name of attack LDA.* must be a text, got ''"),
    ],
)
def test_what_is_no_attack_is_refused(wrong, said):
    with pytest.raises(InputError, match=said):
        load_attacks(wrong)


def test_every_attack_of_this_package_can_be_imported_from_the_room():
    classes = {type(attack).__name__ for attack in ATTACKS.all()}
    assert set(attacks.__all__) == classes | {"ATTACKS", "Attack", "load_attacks"}
    assert set(attacks.__all__) <= set(dir(attacks))
    for attack in ATTACKS.all():
        assert type(attack)() == attack
    with pytest.raises(AttributeError, match="no attribute 'SVM'"):
        _ = attacks.SVM


def test_importing_the_room_is_cheap():
    program = "import sys, latentveil.attacks; sys.exit('torch' in sys.modules or 'sklearn' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def rings(rows, seed):
    """Two classes as two rings (rows, 2), which a narrow network cannot tell apart and a wide one can."""
    random = np.random.default_rng(seed)
    target = np.arange(rows) % 2
    angle = random.uniform(0, 2 * np.pi, size=rows)
    radius = 1 + 2 * target + 0.2 * random.normal(size=rows)
    feature = np.stack([radius * np.cos(angle), radius * np.sin(angle)], axis=1).astype(np.float32)
    return LabelledFeatures(feature, target, np.array([f"v{row:04}" for row in range(rows)]))


def accuracy(attack):
    test = rings(100, seed=2)
    answers = attack.run(AttackerKnowledge(rings(300, 0), rings(100, 1), 2), test.feature, test.video, seed=0)
    return (answers.probabilities.argmax(axis=1) == test.target).mean(), answers.setting


def test_parameters_reach_the_fit():
    assert accuracy(MLP())[0] > 0.95 > 0.85 > accuracy(MLP(hidden=1))[0]
    assert accuracy(MLP(max_epochs=2))[1]["epochs"] <= 2
    assert accuracy(Boosted(rounds=7))[1]["rounds"] == 7
    assert accuracy(Neighbours(num_neighbours=(2,)))[1]["num_neighbours"] == 2
    assert accuracy(LDA(shrinkages=(0.3,), preprocessings=("none",)))[1] == {
        "pooling": "clip",
        "preprocessing": "none",
        "shrinkage": 0.3,
    }


def test_parameters_that_leave_nothing_to_try_are_refused():
    with pytest.raises(InputError, match="at least one candidate"):
        accuracy(LDA(shrinkages=()))
    with pytest.raises(InputError, match="hidden of a network must be at least 1, got 0"):
        accuracy(MLP(hidden=0))
    with pytest.raises(InputError, match="preprocessing must be one of"):
        accuracy(Linear(preprocessings=("centre",)))


def test_transfer_takes_other_classifiers():
    part = rings(60, seed=0)
    knowledge = AttackerKnowledge(part, part, 2, part, part)
    attack = Transfer(classifiers=(Neighbours(),))
    answers = attack.run(knowledge, part.feature, part.video, seed=0)
    assert answers.setting["classifier"] == "neighbours"
