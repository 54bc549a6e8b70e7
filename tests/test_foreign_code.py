"""Plug-ins of others that fail: a sentence says whose fault it is, and nothing else is lost."""

import json
import pickle
import sys

import pytest

import latentveil as lv
from latentveil import foreign_code
from latentveil.cli import main as main_cli
from latentveil.errors import InputError, PluginError, UsageError
from latentveil.foreign_code import blamed, import_named
from latentveil.plugins import Kind

ATTACK = """
import numpy as np
from latentveil.attacks.base import Attack, FittedAttack

class Prior(Attack):
    name, about = "prior", "The share of each class."
    def fit(self, knowledge, *, seed):
        {fault}
        answer = knowledge.class_frequencies()
        return FittedAttack(lambda feature: np.tile(answer, (len(feature), 1)), (0.0, 0.0))

attack = Prior()
"""
METHOD = """
from latentveil.methods.base import Method
method = Method(name="nothing", about="It makes none.", fit=lambda data, settings, **_: None)
"""


@pytest.fixture
def write_module(tmp_path, monkeypatch):
    """Writes a module into the working folder, from which it is imported anew."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(foreign_code, "_remembered", {})
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    written = []

    def write(name, text):
        (tmp_path / f"{name}.py").write_text(text)
        sys.modules.pop(name, None)
        written.append(name)

    yield write
    for name in written:
        sys.modules.pop(name, None)


@pytest.fixture
def veil(capsys):
    main_cli._add_subcommands()

    def run(*words):
        """Exit status, standard output and standard error."""
        status = main_cli.run([str(word) for word in words])
        return status, *capsys.readouterr()

    return run


def audit_of(folder, *attacks):
    stores = (folder / "raw", folder / "raw", "--labels", folder / "labels.csv")
    return ("audit", *stores, "-o", "audit", "--secrets", "gender", "--attacks", ",".join(attacks), "--tasks", "none",
            "--recipient", "none", "--json")  # fmt: skip


def test_an_audit_with_a_failing_attack_stops_and_goes_on_when_it_is_mended(
    toy_folder, write_module, veil, tmp_path
):
    write_module("guessing", ATTACK.format(fault="raise KeyError('gender')"))
    command = audit_of(toy_folder, "lda", "guessing:attack")
    status, out, err = veil(*command)
    assert (status, out) == (2, "")
    said = err.strip().splitlines()[-1]
    assert said.startswith("veil: the attack 'guessing:attack' must do its work, got KeyError: 'gender' (")
    assert "guessing.py, line 8). Mend it or leave it out; LATENTVEIL_DEBUG=1 shows the traceback." in said
    assert "Traceback" not in err
    assert not (tmp_path / "audit" / "audit.json").exists()
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "audit" / ".unfinished").iterdir()}
    assert kept

    write_module("guessing", ATTACK.format(fault="pass"))
    status, out, _ = veil(*command)
    assert status == 0
    assert set(json.loads(out)["secrets"]["gender"]["attacks"]) == {"lda", "prior"}


def test_an_answer_of_an_attack_whose_file_has_changed_is_not_used_again(write_module):
    write_module("guessing", ATTACK.format(fault="pass"))
    from latentveil.auditing.finished import identity_of

    before = identity_of(import_named("guessing:attack"))
    assert before == identity_of(import_named("guessing:attack"))
    write_module("guessing", ATTACK.format(fault="answer = None"))
    assert before != identity_of(import_named("guessing:attack"))


def test_the_traceback_is_there_for_who_asks(toy_folder, write_module, veil, monkeypatch):
    monkeypatch.setenv("LATENTVEIL_DEBUG", "1")
    write_module("guessing", ATTACK.format(fault="raise KeyError('gender')"))
    status, _, err = veil(*audit_of(toy_folder, "guessing:attack"))
    assert status == 2
    assert "Traceback (most recent call last):" in err
    assert "raise KeyError('gender')" in err


def test_in_python_the_exception_itself_arrives(toy_folder, write_module):
    write_module("guessing", ATTACK.format(fault="raise KeyError('gender')"))
    with pytest.raises(KeyError, match="gender"):
        lv.audit(
            toy_folder / "raw", toy_folder / "raw", toy_folder / "labels.csv", secrets="gender",
            attacks=["guessing:attack"], tasks=None, recipient=None, progress=False,
        )  # fmt: skip


def test_a_method_that_makes_no_adapter_is_named(toy_folder, write_module, veil, tmp_path):
    write_module("idle", METHOD)
    labels = toy_folder / "labels.csv"
    status, _, err = veil(
        "fit", toy_folder / "raw", "-o", "new", "--labels", labels, "--method", "idle:method"
    )
    assert status == 2
    assert "veil: the method nothing must give an Adapter, got NoneType. Mend it." in err
    assert not (tmp_path / "new").exists()


@pytest.mark.parametrize(
    ("text", "spec", "error", "said"),
    [
        (
            "x = undefined",
            "broken:x",
            PluginError,
            "module broken must be one that Python can import, got NameError",
        ),
        ("x = = 1", "broken:x", PluginError, "got SyntaxError"),
        (
            "import no_such_package",
            "broken:x",
            PluginError,
            "got ModuleNotFoundError: No module named 'no_such_p",
        ),
        ("x = 1", "broken:y", UsageError, "package.module:object that can be imported, got 'broken:y'"),
        ("x = 1", "brokken:x", UsageError, "got 'brokken:x': No module named 'brokken'"),
        ("x = 1", ".:x", UsageError, "package.module:object that can be imported"),
    ],
)
def test_a_broken_module_is_bad_input_and_a_wrong_name_wrong_use(write_module, text, spec, error, said):
    write_module("broken", text)
    with pytest.raises(InputError, match=said) as caught:
        Kind("attack", "latentveil.attacks", int).get(spec)
    assert type(caught.value) is error


def test_the_sentence_survives_the_way_between_processes(write_module):
    write_module("odd", "def work(self=None):\n    raise IndexError('here.')\n")
    work = import_named("odd:work")
    foreign_code.remember("encoder", "'odd:work'", spec="odd:work", plugin=work)
    with pytest.raises(IndexError) as caught:
        work()
    told = blamed(caught.value)
    assert told.__cause__ is caught.value
    again = pickle.loads(pickle.dumps(told))
    assert type(again) is PluginError
    assert str(again).startswith("the encoder 'odd:work' must do its work, got IndexError: here (")


@pytest.mark.parametrize("code", ["def work(): pass", "class work:\n    def __init__(self): pass"])
def test_who_takes_other_arguments_than_it_is_called_with_is_named(write_module, code):
    write_module("odd", code)
    work = import_named("odd:work")
    with pytest.raises(TypeError) as caught:
        work(folder=3)  # no frame of the module is in this traceback
    assert blamed(caught.value) is caught.value, "nobody has been told of this module"
    foreign_code.remember("method", "'odd:work'", spec="odd:work", plugin=work)
    told = str(blamed(caught.value))
    assert told.startswith("the method 'odd:work' must take what it is called with, got TypeError: work")
    assert "unexpected keyword argument 'folder'" in told
    with pytest.raises(TypeError) as ours:
        import_named()
    assert blamed(ours.value) is ours.value


def test_our_own_faults_and_errors_that_are_told_already_are_left_alone():
    for error in (KeyError("x"), InputError("x must be y."), MemoryError()):
        assert blamed(error) is error
