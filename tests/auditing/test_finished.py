"""An audit that was stopped goes on: what it had finished is not done again, and the report is the same."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from latentveil.attacks import LDA
from latentveil.attacks.base import Attack
from latentveil.auditing import measure
from latentveil.auditing.finished import FOLDER, FinishedWork
from latentveil.auditing.result import load_audit
from latentveil.auditing.run import audit
from latentveil.results.audit import Flag

QUICK = {"secrets": ["gender"], "kinds": ["temporal"], "attacks": ["lda"], "progress": False}
ATTACKS_ONLY = QUICK | {"tasks": None, "recipient": None}
RUNS = 5 * 2  # folds, sides


@pytest.fixture
def counted(monkeypatch):
    """The names of all attacks that ran, and a number of them after which the audit is stopped."""
    ran: list[str] = []
    stop_after = [10**9]
    usual = Attack.run

    def run(self, *arguments, **options):
        if len(ran) == stop_after[0]:
            raise KeyboardInterrupt
        ran.append(self.name)
        return usual(self, *arguments, **options)

    monkeypatch.setattr(Attack, "run", run)
    return ran, stop_after


@pytest.fixture(scope="module")
def safe(toy):
    return toy.features.with_feature(toy.features.feature * 0.5 + 1)


@pytest.fixture(scope="module")
def undisturbed(toy, safe, tmp_path_factory):
    """What an audit writes that nobody stops."""
    folder = tmp_path_factory.mktemp("undisturbed")
    audit(toy.features, safe, toy.labels, folder, **ATTACKS_ONLY)
    return written(folder)


def written(folder):
    """What an audit wrote, but for the day."""
    found = json.loads((folder / "audit.json").read_text())
    found["data"].pop("date")
    return json.dumps(found), (folder / "extras.json").read_bytes()


@pytest.mark.parametrize("stop", [1, 7])
def test_a_stopped_audit_does_only_what_is_missing_and_ends_the_same(
    toy, safe, undisturbed, counted, tmp_path, stop
):
    ran, stop_after = counted
    stop_after[0] = stop
    with pytest.raises(KeyboardInterrupt):
        audit(toy.features, safe, toy.labels, tmp_path / "stopped", **ATTACKS_ONLY)
    assert len(ran) == stop
    stop_after[0] = 10**9
    audit(toy.features, safe, toy.labels, tmp_path / "stopped", **ATTACKS_ONLY)
    assert len(ran) == RUNS
    assert written(tmp_path / "stopped") == undisturbed
    assert not (tmp_path / "stopped" / FOLDER).exists()


def test_risks_and_tasks_are_not_measured_again(toy, safe, tmp_path, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    with monkeypatch.context() as stopped:
        stopped.setattr("latentveil.auditing.in_memory.feature_map", stop)
        with pytest.raises(KeyboardInterrupt):
            audit(toy.features, safe, toy.labels, tmp_path, certify=True, **QUICK)
    undisturbed = audit(toy.features, safe, toy.labels, certify=True, **QUICK)
    monkeypatch.setattr(measure, "measure_utility", stop)
    monkeypatch.setattr("latentveil.auditing.kept_parts.measure_risks", stop)
    again = audit(toy.features, safe, toy.labels, tmp_path, certify=True, **QUICK)
    assert again == undisturbed
    assert load_audit(tmp_path) == undisturbed


@pytest.mark.parametrize("other", ["features", "labels", "seed"])
def test_what_is_of_something_else_is_not_taken(toy, safe, counted, tmp_path, other):
    ran, stop_after = counted
    stop_after[0] = 5
    with pytest.raises(KeyboardInterrupt):
        audit(toy.features, safe, toy.labels, tmp_path, **ATTACKS_ONLY)
    ran.clear()
    stop_after[0] = 10**9
    labels, options = toy.labels, dict(ATTACKS_ONLY)
    if other == "features":
        changed = safe.feature.copy()
        changed[-1, -1] += 1e-3
        safe = safe.with_feature(changed)
    elif other == "labels":
        labels = replace(labels, person=labels.person[::-1].copy())
    else:
        options["seed"] = 1
    audit(toy.features, safe, labels, tmp_path, **options)
    assert len(ran) == RUNS


def test_an_attack_with_other_parameters_is_another_one(toy, safe, counted, tmp_path):
    ran, stop_after = counted
    stop_after[0] = 5
    with pytest.raises(KeyboardInterrupt):
        audit(toy.features, safe, toy.labels, tmp_path, **ATTACKS_ONLY | {"attacks": [LDA()]})
    ran.clear()
    stop_after[0] = 10**9
    other = replace(LDA(), name="lda_2")
    audit(toy.features, safe, toy.labels, tmp_path, **ATTACKS_ONLY | {"attacks": [other, LDA()]})
    assert ran.count("lda_2") == RUNS
    assert ran.count("lda") == RUNS - 5


def test_a_damaged_piece_is_measured_again(toy, safe, undisturbed, counted, tmp_path):
    ran, stop_after = counted
    stop_after[0] = 4
    with pytest.raises(KeyboardInterrupt):
        audit(toy.features, safe, toy.labels, tmp_path / "a", **ATTACKS_ONLY)
    pieces = sorted((tmp_path / "a" / FOLDER).glob("*.npz"))
    assert len(pieces) == 4
    pieces[0].write_bytes(b"")
    pieces[1].write_bytes(pieces[1].read_bytes()[:100])
    for piece in (tmp_path / "a" / FOLDER).glob("*.json"):
        piece.write_text("[" * 50)
    ran.clear()
    stop_after[0] = 10**9
    audit(toy.features, safe, toy.labels, tmp_path / "a", **ATTACKS_ONLY)
    assert len(ran) == RUNS - 2
    assert written(tmp_path / "a") == undisturbed


def test_nothing_is_kept_without_a_folder():
    measured = []
    found = FinishedWork().keeping("x", Flag, lambda: measured.append(1) or Flag("a", "b"))
    assert found() == found() == Flag("a", "b")
    assert len(measured) == 2
