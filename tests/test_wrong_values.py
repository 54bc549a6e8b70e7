"""What is wrong with a setting is said in our words: what it must be, and what was given."""

from typing import Literal

import pytest
from pydantic import Field

from latentveil.config import Section, check_settings
from latentveil.errors import UsageError


class Pens(Section):
    width: float = Field(1, ge=0, lt=9)


class Drawing(Section):
    strength: float = Field(1, gt=0, le=1)
    style: Literal["ink", "oil", "chalk"] = "ink"
    framed: bool = True
    copies: int | None = None
    pens: Pens = Pens()


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"strength": "much"}, "strength must be a number, got 'much'."),
        ({"strength": 5}, "strength must be at most 1, got 5."),
        ({"strength": 0}, "strength must be above 0, got 0."),
        ({"strength": "nan"}, "strength must be a finite number, got 'nan'."),
        ({"style": "wood"}, "style must be 'ink', 'oil' or 'chalk', got 'wood'."),
        ({"framed": "maybe"}, "framed must be true or false, got 'maybe'."),
        ({"copies": "1.5"}, "copies must be a whole number, got '1.5'."),
        ({"copies": 1.5}, "copies must be a whole number, got 1.5."),
        ({"pens": {"width": -1}}, "pens.width must be 0 or more, got -1."),
        ({"pens": {"width": 9}}, "pens.width must be below 9, got 9."),
        ({"pens": "blue"}, "pens must be a section, whose values are set one by one, got 'blue'."),
    ],
)
def test_the_rule_and_the_value_are_named(values, said):
    with pytest.raises(UsageError) as wrong:
        check_settings(Drawing, values)
    assert str(wrong.value) == said
