"""An entry says all that it was measured with, so that a default which has changed since is noticed."""

import json
from types import SimpleNamespace

import pytest
from pydantic import Field

from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.protocols.base import entry_of
from latentveil.bench.protocols.pixels import PixelOptions
from latentveil.bench.recipe import load_recipe


class LaterOptions(PixelOptions):
    """What the options may be one day."""

    num_fresh: int = Field(5, ge=1)


class OptionsWithoutSize(PixelOptions):
    """An option is gone."""

    size: None = None


@pytest.fixture
def recipe():
    return load_recipe("penalty6")


@pytest.fixture
def entry(recipe):
    found = entry_of(recipe, recipe.rows[0], SimpleNamespace(seed=0), {})
    return json.loads(json.dumps(found))


def is_current(entry, recipe):
    return PROTOCOLS.get(recipe.protocol).is_current(entry, recipe, recipe.rows[0])


def change_options(monkeypatch, recipe, options):
    monkeypatch.setattr(type(PROTOCOLS.get(recipe.protocol)), "Options", options)


def test_an_entry_keeps_the_options_that_the_recipe_leaves_to_the_protocol(recipe, entry):
    assert recipe.options == {"starts": ["raw"]}
    assert entry["asked"]["options"] == json.loads(PixelOptions(starts=("raw",)).model_dump_json())
    assert is_current(entry, recipe)


def test_a_default_that_has_changed_since_is_noticed(recipe, entry, monkeypatch):
    change_options(monkeypatch, recipe, LaterOptions)
    assert not is_current(entry, recipe)
    as_before = recipe.model_copy(update={"options": recipe.options | {"num_fresh": 3}})
    assert is_current(entry, as_before)


def test_entries_with_the_options_of_their_recipe_alone_stay_good(recipe, entry):
    """They were kept so once, before any default had changed."""
    entry["asked"]["options"] = recipe.options
    assert is_current(entry, recipe)
    entry["asked"]["options"] = {}
    assert not is_current(entry, recipe)


def test_options_written_out_are_the_same_as_left_out(recipe, entry):
    written = recipe.model_copy(update={"options": recipe.options | {"num_fresh": 3}})
    assert is_current(entry, written)


@pytest.mark.parametrize("asked", [None, {}, {"protocol": "pixels"}, "pixels"])
def test_an_entry_of_an_older_layout_is_not_current(recipe, entry, asked):
    assert not is_current(entry | {"asked": asked}, recipe)


def test_an_entry_with_an_option_that_is_gone_is_not_current(recipe, entry, monkeypatch):
    change_options(monkeypatch, recipe, OptionsWithoutSize)
    assert not is_current(entry, recipe)
