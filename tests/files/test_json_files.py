"""JSON with values that Python reads and nothing else can use is refused when it is read."""

from __future__ import annotations

import json

import pytest

from latentveil.errors import InputError
from latentveil.files.json_files import parse_json


@pytest.mark.parametrize("number", [10**400, -(10**309)], ids=["large", "small"])
def test_a_whole_number_beyond_every_float_is_refused(number):
    with pytest.raises(InputError, match=r"a\.json must be a record, got a whole number of \d+ digits"):
        parse_json(json.dumps({"a": [number]}), path="a.json", what="a record")


@pytest.mark.parametrize("content", [b'{"a": "\\ud800"}', b'{"\\udfff": 1}', b'["\xed\xa0\x80"]'])
def test_half_of_a_character_is_refused(content):
    with pytest.raises(InputError, match=r"a\.json must be a record, got text with '.ud...', half"):
        parse_json(content, path="a.json", what="a record")


@pytest.mark.parametrize("value", [10**308, -(10**30), 0.5, "ä😀", {"😀": [None, True]}])
def test_everything_else_is_read_as_it_was_written(value):
    assert parse_json(json.dumps(value), path="a.json", what="a record") == value
