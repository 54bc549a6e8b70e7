"""The files for schedulers call `veil` with options that it has, on folders and addresses that it takes."""

import re
import shlex
import subprocess
from pathlib import Path

import pytest
import typer
from typer.main import get_command

from latentveil.cli.extract import command as extract

FOLDER = Path(__file__).parents[1] / "examples" / "cluster"


def slurm_arguments() -> list[str]:
    text = (FOLDER / "slurm_array.sh").read_text()
    (line,) = re.findall(r"^veil (.*)$", text, flags=re.MULTILINE)
    for name, value in (("$videos", "videos"), ("$store", "raw.store"), ("$SLURM_CPUS_PER_TASK", "4")):
        line = line.replace(name, value)
    assert "$" not in line
    return shlex.split(line)


def kubernetes_arguments() -> list[str]:
    text = (FOLDER / "kubernetes_job.yaml").read_text()
    parts = re.findall(r"^ *(?:command|args): \[(.*)\]$", text, flags=re.MULTILINE)
    words = [word.strip().strip('"') for part in parts for word in part.split(",")]
    assert words[0] == "veil"
    return words[1:]


@pytest.mark.parametrize(
    "arguments", [slurm_arguments(), kubernetes_arguments()], ids=["slurm", "kubernetes"]
)
def test_the_command_line_is_one_that_veil_takes(arguments):
    name, *rest = arguments
    assert name == "extract"
    app = typer.Typer()
    app.command()(extract)
    command = get_command(app)
    values = command.make_context(name, rest).params
    assert str(values["store"]).endswith("raw.store")
    assert values["workers"] == 4
    with pytest.raises(Exception, match="No such option"):
        command.make_context(name, [*rest, "--no-such-option"])


def test_the_script_is_one_that_bash_reads():
    subprocess.run(["bash", "-n", FOLDER / "slurm_array.sh"], check=True)
