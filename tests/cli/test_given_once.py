"""An option that is given twice is refused, whatever its values, unless it is one that takes several."""

import pytest

from latentveil.cli import main as main_cli


@pytest.fixture
def veil(capsys):
    main_cli._add_subcommands()

    def run(line):
        status = main_cli.run(line.split())
        return status, capsys.readouterr().err

    return run


@pytest.mark.parametrize(
    ("line", "option"),
    [
        ("fit gone -o new --seed 1 --seed 2", "--seed"),
        ("fit gone -o new --seed=1 --seed 1", "--seed"),
        ("extract gone -o new --output other", "--output"),
        ("extract gone -onew -oother", "--output"),
        ("apply gone gone -o new --keep-sound --no-keep-sound", "--keep-sound"),
        ("verify gone --json --json", "--json"),
        ("datasets check csv gone --json --json", "--json"),
    ],
)
def test_given_twice(veil, line, option):
    assert veil(line) == (
        1,
        f"veil: {option} must be given once, got it 2 times. Leave all but one of them out.\n",
    )


@pytest.mark.parametrize(
    "line",
    [
        "fit gone -o new --labels gone.csv --set erasure.noise=1 --set erasure.keep=3",
        "import --stills gone --stills gone_too -o new",
        "fit gone -o new --labels gone.csv --device --seed --seed 1",  # --seed is a value, too
        "extract gone -o new --encoder tiny -- --seed 1 --seed 2",
        "extract gone gone -o new --encoder tiny",
    ],
)
def test_no_option_is_given_twice(veil, line):
    _, said = veil(line)
    assert said.startswith("veil: ")
    assert "given once" not in said


def test_several_values_are_for_options_that_say_so(veil):
    """So that nobody who repeats an option as its help says is refused."""
    for name, command in main_cli._parser().commands.items():
        for param in command.params:
            if "be repeated" in (param.help or "") or "several times" in (param.help or ""):
                assert param.multiple, (name, param.name)


def test_help_is_still_given(veil):
    assert veil("fit --seed 1 --seed 2 --help") == (0, "")
