"""The privacy card says what an audit found, and what it did not try."""

from dataclasses import replace

import pytest

from latentveil.adapters.adapter import Adapter
from latentveil.errors import InputError
from latentveil.report.card import privacy_card
from latentveil.results.audit import Flag, NotTested, Worst
from latentveil.types import Interval

CONFIG = Adapter(dim=8, heads=2, noise_rank=2).config


def test_an_adapter_without_an_audit_says_so():
    card = privacy_card(CONFIG, audit=None)
    assert "Not audited yet" in card
    assert "adds Gaussian noise" in card


def test_findings_are_followed_by_the_notes_and_unknown_intervals_are_left_out(example_audit, reading):
    unknown = Interval(0.4, float("nan"), float("nan"))
    gender = replace(reading("gender", removed=None), worst=Worst(Interval(0.9, 0.8, 1.0), unknown, "lda"))
    audit = replace(example_audit, secrets={"gender": gender})
    card = privacy_card(CONFIG, audit=audit, notes=["First note.", "Second note."])
    assert "Attacks: lda." in card
    assert "| gender | stored clips | 0.10 | 0.90 [0.80, 1.00] | 0.40 (lda) | – |" in card
    findings, _, use = card.partition("## Use")
    assert findings.endswith("\n\nFirst note.\n\nSecond note.\n\n")
    assert "veil apply" in use


def test_what_is_removed_has_its_interval_and_what_was_not_tested_is_named(example_audit, reading):
    audit = replace(
        example_audit,
        secrets={"gender": reading("gender", stills=reading("gender", kind="static", removed=0.0))},
        not_tested=[NotTested("hair_colour", "one value")],
        flags=[Flag("few", "Only three people were tested.")],
    )
    card = privacy_card(CONFIG, audit=audit)
    assert "(lda) | 62% [42%, 72%] |" in card
    assert "| gender | stills | 0.10 | 0.90 [0.85, 0.95] | 0.40 [0.35, 0.45] (lda) | 0% [-20%, 10%] |" in card
    assert "\n\n- hair colour: not tested: one value.\n- Only three people were tested.\n" in card


def test_a_codebook_is_described_by_what_it_has():
    config = Adapter(dim=12, architecture="codebook", directions=3, prototypes=5).config
    assert "| network | codebook of 5 prototypes in 3 directions, in closed form |" in privacy_card(
        config, audit=None
    )


@pytest.mark.parametrize("tasks", [float("nan"), [-1e308], "action", None])
def test_a_recipe_whose_tasks_are_no_names_is_refused(tasks):
    with pytest.raises(InputError, match=r"recipe\.tasks of an anonymizer must be a list of names"):
        privacy_card(CONFIG | {"recipe": {"method": "veil", "tasks": tasks}}, audit=None)
