"""`veil report`: the page of an audit, drawn again."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    audit: Annotated[Path, typer.Argument(help="An audit.json, or the folder it is in.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="The page; report.html beside audit.json by default."),
    ] = None,
) -> None:
    """Draw the report of an audit again, without measuring anything."""
    from latentveil.auditing.files import render_again

    print(render_again(audit, output))
