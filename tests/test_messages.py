"""Messages speak the language of who reads them: of arguments in Python, of options on the command line."""

import ast
import re
from pathlib import Path

import pytest

import latentveil as lv
from latentveil.arguments import argument, named_as_options
from latentveil.cli import main as main_cli
from latentveil.errors import UsageError

SOURCE = Path(lv.__file__).parent
OPTION = re.compile(r"(?<![\w-])--[a-z]")
# Whole commands may be told to anybody: between backticks, or as a line of their own.
COMMAND = re.compile(r"`(veil|ray) [^`]*`|^veil .*$", re.MULTILINE)
TALKS_TO_PIP = SOURCE / "encoders" / "i3d_weights.py"


def texts_of(tree: ast.AST) -> list[tuple[int, str]]:
    """(line, text) of every string but docstrings; what a text is put together from is {}."""
    strings = (ast.Constant, ast.JoinedStr)
    docstrings = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, strings)
    }
    inner = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    found = []
    for node in ast.walk(tree):
        if id(node) in docstrings | inner:
            continue
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            found.append((node.lineno, node.value))
        elif isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "{}" for part in node.values]
            found.append((node.lineno, "".join(map(str, parts))))
    return found


def test_no_message_outside_the_command_line_names_an_option():
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        if path.is_relative_to(SOURCE / "cli") or path == TALKS_TO_PIP:
            continue
        for line, text in texts_of(ast.parse(path.read_text(encoding="utf-8"))):
            if OPTION.search(COMMAND.sub("", text)):
                wrong.append(f"{path.relative_to(SOURCE)}:{line}: {text!r}")
    assert not wrong, "say it with latentveil.arguments.argument:\n" + "\n".join(wrong)


@pytest.mark.parametrize(
    ("given", "in_python", "as_option"),
    [
        (("labels",), "labels", "--labels"),
        (("labels", "labels.csv"), "labels='labels.csv'", "--labels labels.csv"),
        (("tasks", ["action", "motion"]), "tasks=['action', 'motion']", "--tasks action,motion"),
        (("static", 10), "static=10", "--static 10"),
        (("release", True), "release=True", "--release"),
        (("read_gb",), "read_gb", "--read-gb"),
        (("settings",), "settings", "--set"),
    ],
)
def test_an_argument_is_named_as_its_reader_writes_it(given, in_python, as_option):
    assert argument(*given) == in_python
    with named_as_options({"settings": "--set"}):
        assert argument(*given) == as_option
    assert argument(*given) == in_python


def test_the_same_message_in_python_and_on_the_command_line(toy_folder, tmp_path, capsys):
    with pytest.raises(UsageError, match=r"^labels must be .* Add labels='labels.csv', or tasks='motion' to"):
        lv.fit(toy_folder / "raw", tasks=["action"], progress=False)
    main_cli._add_subcommands()
    assert main_cli.run(["fit", str(toy_folder / "raw"), "-o", str(tmp_path / "a")]) == 1
    said = capsys.readouterr().err
    assert said.startswith("veil: --labels must be given")
    assert "Add --labels labels.csv, or --tasks motion to" in said


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("tune gone --labels gone.csv -o new --keep 2", "--keep must be above 0"),
        ("eval dancing gone --labels gone.csv", "tasks must be among"),
        ("eval action gone --labels gone.csv --read-gb 0", "--read-gb must be above 0"),
        ("tune gone --labels gone.csv -o new --dial erasure.noise", "--dial must be of the form"),
        ("bench nosuch --data gone", "RECIPE must be one of"),
    ],
)
def test_wrong_use_begins_with_what_was_typed(line, said, capsys):
    main_cli._add_subcommands()
    assert main_cli.run(line.split()) == 1
    assert capsys.readouterr().err.startswith(f"veil: {said}")
