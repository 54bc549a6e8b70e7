"""`veil datasets`: which data sets can be read, whether one is complete, and its labels and list of videos."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

import typer

from latentveil.cli.statuses import BAD_INPUT

if TYPE_CHECKING:
    from typer.core import TyperGroup

    from latentveil.datasets import DataSet
    from latentveil.datasets.base import Check

FACTS = ("about", "task", "people", "size", "licence", "source")

app = typer.Typer(
    help="List the data sets that can be read, check one, prepare it for `veil extract`, or join several.",
    rich_markup_mode=None,
)

Name = Annotated[
    str, typer.Argument(metavar="NAME", help="As `veil datasets` lists it, or package.module:object.")
]
RootFolder = Annotated[Path, typer.Argument(metavar="ROOT", help="The folder that holds the data set.")]
Changes = Annotated[
    list[str] | None, typer.Option("--set", help="One setting of the data set, as split=1. May be repeated.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the result as one JSON object.")]


@app.callback(invoke_without_command=True)
def _list_by_default(context: typer.Context, as_json: AsJson = False) -> None:
    """List the data sets that can be read, check one, or prepare it for `veil extract`."""
    if context.invoked_subcommand is None:
        show_list(as_json=as_json)
    elif as_json:
        _pass_on_json(context, context.invoked_subcommand)


def _pass_on_json(context: typer.Context, command: str) -> None:
    """Let --json before the name of a command be the same as behind it."""
    from latentveil.errors import UsageError

    group = cast("TyperGroup", context.command)
    found = group.commands[command]
    if "as_json" not in {option.name for option in found.params}:
        raise UsageError(f"--json must come with a command that takes it, got {command}. Leave it out.")
    context.default_map = {command: {"as_json": True}}


@app.command("list")
def show_list(
    as_json: AsJson = False,
    markdown: Annotated[bool, typer.Option(help="Print the page of the documentation.")] = False,
) -> None:
    """Say of each data set what it is for, what it tells of people, its size, its terms, and where it is had."""
    from latentveil.datasets import DATA_SETS
    from latentveil.datasets.page import render_page

    found = DATA_SETS.all()
    if as_json:
        print(json.dumps({data_set.name: _facts(data_set) for data_set in found}))
    elif markdown:
        print(render_page(found), end="")
    else:
        print("\n\n".join(_paragraph(data_set) for data_set in found))


@app.command()
def check(name: Name, root: RootFolder, changes: Changes = None, as_json: AsJson = False) -> None:
    """Count what is there and name what is missing, file by file; the exit status is then 2."""
    from latentveil.datasets import DATA_SETS
    from latentveil.progress import shown

    data_set = DATA_SETS.get(name)
    with shown() as on_progress:
        result = data_set.check(root, on_progress=on_progress, **_settings(changes))
    print(json.dumps(asdict(result)) if as_json else _lines(result))
    print(_summary(data_set, result), file=sys.stderr)
    if result.findings:
        raise typer.Exit(BAD_INPUT)


@app.command()
def prepare(
    name: Name,
    root: RootFolder,
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder for what is written.")],
    changes: Changes = None,
    keep_missing: Annotated[
        bool, typer.Option(help="Also label videos without a file, for features that you have already.")
    ] = False,
    val_share: Annotated[
        float,
        typer.Option(
            help="Actions without validation videos: the share of the training videos that become such."
        ),
    ] = 0.1,
) -> None:
    """Write labels.csv, videos.csv and, where there are events, segments.csv; `veil extract` takes the folder."""
    from latentveil.datasets import DATA_SETS
    from latentveil.datasets.prepare import prepare as write
    from latentveil.progress import shown

    with shown() as on_progress:
        written = write(
            DATA_SETS.get(name),
            root,
            output,
            keep_missing=keep_missing,
            val_share=val_share,
            on_progress=on_progress,
            **_settings(changes),
        )
    for path in written.files:
        print(path)
    left_out = (
        f"; {written.num_missing} have no file: veil datasets check {name} {root}"
        if written.num_missing
        else ""
    )
    held_out = f"; {written.num_held_out} of its training videos are val now" if written.num_held_out else ""
    print(
        f"{written.num_videos} videos with labels{left_out}{held_out}. Next: veil extract {output} -o STORE",
        file=sys.stderr,
    )


@app.command()
def join(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="[NAME=]FOLDER...",
            help="Two or more folders that `prepare` wrote; a set is called as it was there, or NAME.",
        ),
    ],
    output: Annotated[Path, typer.Option("--output", "-o", help="A new folder for what is written.")],
) -> None:
    """Write several prepared sets as one, told apart by a column `set`, for benches that learn from one of them."""
    from latentveil.datasets.join import join as write

    written = write(folders, output)
    for path in written.files:
        print(path)
    print(
        f"{written.num_videos} videos of {len(folders)} sets. Next: veil extract {output} -o {output}/raw.store",
        file=sys.stderr,
    )


def _settings(changes: Sequence[str] | None) -> dict[str, Any]:
    """The values of --set by name."""
    from latentveil.errors import UsageError

    found = {}
    for change in changes or ():
        name, equals, value = change.partition("=")
        if not equals:
            raise UsageError(f"--set must be of the form name=value, got {change!r}.")
        found[name.strip()] = value.strip()
    return found


def _facts(data_set: DataSet) -> dict[str, Any]:
    facts: dict[str, Any] = {fact: getattr(data_set, fact) for fact in FACTS}
    facts["unverified"] = list(data_set.unverified)
    return facts | {"layout": list(data_set.layout), "settings": data_set.settings({}).model_dump()}


def _paragraph(data_set: DataSet) -> str:
    """A data set's name and what is known of it, a line each."""
    facts = [(fact, getattr(data_set, fact)) for fact in FACTS]
    facts += [("unverified", "; ".join(data_set.unverified))] if data_set.unverified else []
    facts += [("layout" if not number else "", line) for number, line in enumerate(data_set.layout)]
    settings = data_set.settings({}).model_dump()
    facts += (
        [("settings", ", ".join(f"{name}={value}" for name, value in settings.items()))] if settings else []
    )
    return "\n".join([data_set.name, *(f"  {fact:<11}{value}" for fact, value in facts)])


def _lines(result: Check) -> str:
    """What is there, and then one line for each thing that is wrong."""
    labelled = ", ".join(f"{number} {split}" for split, number in result.labelled.items() if number) or "none"
    lines = [f"labelled: {labelled}", f"files: {result.present} of {sum(result.labelled.values())}"]
    return "\n".join([*lines, *(f"{finding.kind}: {finding.text}" for finding in result.findings)])


def _summary(data_set: DataSet, result: Check) -> str:
    if not result.findings:
        return f"{data_set.name} is complete: {result.present} videos."
    kinds: dict[str, int] = {}
    for finding in result.findings:
        kinds[finding.kind] = kinds.get(finding.kind, 0) + 1
    found = ", ".join(f"{number} × {kind}" for kind, number in kinds.items())
    expected = "; ".join(data_set.layout)
    return f"{data_set.name} is not complete: {found}. Expected below the folder: {expected}."
