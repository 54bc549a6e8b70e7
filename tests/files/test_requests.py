"""The same request finds its result again; another one, or a result that was replaced since, does not."""

import pytest

from latentveil.errors import InputError
from latentveil.files.place_files import SAVING
from latentveil.files.requests import REQUEST_FILE, Request

ASKED = {"seed": 0, "tasks": ("action",), "settings": {"noise": 0.5}}


def request(**changes):
    return Request("a drawing", "drawing.json", ASKED | changes)


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "drawing.json").write_text("{}")
    request().keep(tmp_path)
    return tmp_path


def test_the_same_request_is_done(folder):
    assert request().is_done(folder)


def test_another_request_is_refused_with_what_differs(folder):
    said = r"must hold a drawing of the same inputs and settings, got one of others: seed is 0 there, got 1;"
    with pytest.raises(
        InputError, match=rf"{said} settings\.noise is 0\.5 there, got 2\. Choose another folder"
    ):
        request(seed=1, settings={"noise": 2}).is_done(folder)


@pytest.mark.parametrize("name", [REQUEST_FILE, "drawing.json"])
def test_half_of_it_is_not_done(folder, name):
    (folder / name).unlink()
    assert not request().is_done(folder)


def test_what_was_replaced_since_is_not_what_was_asked_for(folder):
    (folder / "drawing.json").write_text('{"another": 1}')
    assert not request().is_done(folder)


def test_what_was_being_saved_is_not_done(folder):
    (folder / SAVING).touch()
    assert not request().is_done(folder)


def test_a_record_of_something_else_is_no_request(folder):
    (folder / REQUEST_FILE).write_text("[]")
    assert not request().is_done(folder)
