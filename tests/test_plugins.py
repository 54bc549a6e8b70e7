"""The one rule for plug-ins of every kind."""

import sys
from importlib.metadata import EntryPoint

import pytest

from latentveil import plugins
from latentveil.errors import InputError
from latentveil.plugins import Kind


class Spell:
    def __init__(self, name="mine"):
        self.name = name


MINE = Spell()


@pytest.fixture
def spells(tmp_path, monkeypatch):
    """A room with the spells `sleep` and `long_sleep`, and a file that is none."""
    room = tmp_path / "spellbook"
    room.mkdir()
    (room / "__init__.py").write_text("")
    (room / "base.py").write_text("from tests_spell import Spell\n")
    for name in ("sleep", "long_sleep"):
        (room / f"{name}.py").write_text(f"from tests_spell import Spell\nspell = Spell('{name}')\n")
    monkeypatch.setitem(sys.modules, "tests_spell", sys.modules[__name__])
    monkeypatch.syspath_prepend(tmp_path)
    plugins._stems.cache_clear()
    yield Kind("spell", "spellbook", Spell)
    for name in [name for name in sys.modules if name.startswith("spellbook")]:
        del sys.modules[name]
    plugins._stems.cache_clear()


def provide(monkeypatch, *points):
    made = [EntryPoint(name, value, "latentveil.spells") for name, value in points]
    monkeypatch.setattr(plugins, "entry_points", lambda group: made if group == "latentveil.spells" else [])


def test_a_file_that_assigns_the_kind_is_a_plugin(spells):
    assert spells.names() == ["long_sleep", "sleep"]
    assert spells.get("sleep").name == "sleep"
    assert [spell.name for spell in spells.all()] == ["long_sleep", "sleep"]


def test_an_object_is_taken_as_it_is(spells):
    mine = Spell()
    assert spells.get(mine) is mine


def test_package_module_object_is_imported(spells):
    assert spells.get("spellbook.sleep:spell").name == "sleep"


def test_another_package_adds_one_by_an_entry_point(spells, monkeypatch):
    provide(monkeypatch, ("mine", "tests_spell:MINE"))
    assert spells.names() == ["long_sleep", "mine", "sleep"]
    assert spells.get("mine") is MINE


def test_an_entry_point_that_calls_its_object_otherwise_is_refused(spells, monkeypatch):
    """Results are filed under the object's own name: nobody would find them under the one asked for."""
    provide(monkeypatch, ("wake", "spellbook.sleep:spell"))
    with pytest.raises(
        InputError, match=r"spell 'wake' must be called so .*\(spellbook.sleep:spell\), too, got"
    ):
        spells.get("wake")


def test_an_object_in_the_working_folder_is_found(spells, tmp_path, monkeypatch):
    folder = tmp_path / "at_home"
    folder.mkdir()
    (folder / "own_spells.py").write_text("from tests_spell import Spell\nfly = Spell('fly')\n")
    monkeypatch.chdir(folder)
    monkeypatch.setattr(sys, "path", [entry for entry in sys.path if entry not in ("", str(folder))])
    assert spells.get("own_spells:fly").name == "fly"


def test_a_name_that_two_provide_is_refused(spells, monkeypatch):
    provide(monkeypatch, ("sleep", "elsewhere:spell"))
    with pytest.raises(InputError, match="one plug-in's name, got latentveil and elsewhere:spell"):
        spells.get("wake")


def test_a_foreign_plugin_that_fails_to_import_is_named(spells, monkeypatch):
    provide(monkeypatch, ("wake", "nowhere_at_all:spell"))
    with pytest.raises(
        InputError, match=r"spell 'wake' \(nowhere_at_all:spell\) must be one that Python can"
    ):
        spells.get("wake")


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ("dance", "spell must be one of long_sleep, sleep, or package.module:object, got 'dance'"),
        (
            "spellbook.sleep:nothing",
            "one of long_sleep, sleep, or .* can be imported, got 'spellbook.sleep:no",
        ),
        (":", "can be imported"),
        (Spell, "got the class Spell. Write Spell\\(\\)"),
        (3, "must be of type Spell, got int"),
    ],
)
def test_what_is_no_plugin_is_refused_with_the_reason(spells, wrong, said):
    with pytest.raises(InputError, match=said):
        spells.get(wrong)


def test_names_with_hyphens_are_files_with_underscores(spells, tmp_path):
    (tmp_path / "spellbook" / "deep_rest.py").write_text(
        "from tests_spell import Spell\nspell = Spell('deep-rest')\n"
    )
    hyphened = Kind("spell", "spellbook", Spell, hyphens=True)
    assert "deep-rest" in hyphened.names()
    assert hyphened.get("deep-rest").name == "deep-rest"


def test_a_bare_object_may_be_wrapped(spells):
    wrapping = Kind(
        "spell", "spellbook", Spell, wrap=lambda found, said: Spell(said) if callable(found) else None
    )
    assert wrapping.get("spellbook.base:Spell.__init__").name == "spellbook.base:Spell.__init__"
    with pytest.raises(InputError, match="must be of type Spell, got int for 3"):
        wrapping.get(3)
