"""`veil doctor`: is everything here that the program needs?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from latentveil.cli.statuses import BAD_INPUT

if TYPE_CHECKING:
    from latentveil.cli.diagnosis import Finding


def command(
    as_json: Annotated[bool, typer.Option("--json", help="Print the findings as one JSON object.")] = False,
) -> None:
    """Print versions, find what is broken or missing, and say how to fix it.

    The exit status is 0 if all is well or could merely be better, and 2 if something will not work.
    """
    from latentveil import __version__
    from latentveil.cli.diagnosis import PROBLEM, diagnose

    findings = diagnose(workspace=Path.cwd())
    healthy = all(finding.state != PROBLEM for finding in findings)
    if as_json:
        report = {"latentveil": __version__, "healthy": healthy, "findings": [f.to_dict() for f in findings]}
        print(json.dumps(report))
    else:
        _show(__version__, findings)
    if not healthy:
        raise typer.Exit(BAD_INPUT)


def _show(version: str, findings: list[Finding]) -> None:
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    marks = {"ok": "[green]ok[/]", "warning": "[yellow]warning[/]", "problem": "[red]problem[/]"}
    table = Table(box=None, show_header=False, pad_edge=False)
    table.add_row("latentveil", marks["ok"], version)
    for finding in findings:
        fix = f"\n-> {finding.fix}" if finding.fix else ""
        table.add_row(finding.name, marks[finding.state], escape(finding.detail + fix))
    Console().print(table)
