"""Settings are strict: unknown names and wrong values are refused by name."""

import pytest
from pydantic import Field

from latentveil.config import Section, Settings, as_changes, change_settings, known_settings
from latentveil.errors import InputError


class Pens(Section):
    width: float = Field(1.0, gt=0)
    colours: tuple[str, ...] = ("red",)


class Drawing(Settings):
    strength: int = 1
    pens: Pens = Pens()
    shares: dict[str, float] = Field(default_factory=dict)


def change(*changes):
    return change_settings(Drawing(), changes, owner="the method drawing")


def test_changes_are_applied_with_their_type():
    found = change("strength=3", "pens.width=0.5", "shares.sky=2", "train.seed=7")
    assert (found.strength, found.pens.width, found.shares, found.train.seed) == (3, 0.5, {"sky": 2.0}, 7)
    assert Drawing().shares == {}


def test_several_values_are_separated_by_commas():
    assert change("pens.colours=red, blue").pens.colours == ("red", "blue")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (
            "pens.with=7",
            "a setting must be one that the method drawing has, got 'pens.with'. It has train.seed",
        ),
        ("pans.width=7", "got 'pans.width'"),
        ("pens.width.more=7", "got 'pens.width.more'"),
        ("model_fields=7", "got 'model_fields'"),
        ("strength", "a setting must be of the form section.name=value"),
        ("strength=much", "strength must be a whole number, got 'much'"),
        ("pens.width=-1", "pens.width must be above 0, got '-1'"),
        ("pens=blue", "pens must be a section, .*, got 'blue'"),
    ],
)
def test_wrong_changes_are_refused(wrong, message):
    with pytest.raises(InputError, match=message):
        change(wrong)


def test_every_value_has_a_full_name():
    assert known_settings(Drawing()) == [
        "train.seed",
        "train.device",
        "strength",
        "pens.width",
        "pens.colours",
        "shares.*",
    ]


def test_a_dictionary_in_a_dictionary_is_a_section():
    """`settings={"train": {"epochs": 3}}` was answered with "must be a valid dictionary, got "{'epochs': 3}"."""
    settings = {
        "train": {"epochs": 3, "names": ["a", "b"]},
        "noise": 0.5,
        "options": {"depth": {"of": 2}},
        "empty": {},
    }
    assert as_changes(settings) == ["train.epochs=3", "train.names=a,b", "noise=0.5", "options.depth.of=2"]
