"""`veil card`: an adapter's privacy card, filled from an audit."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer


def command(
    adapter: Annotated[Path, typer.Argument(help="Adapter folder, whose README.md is written.")],
    audit: Annotated[Path, typer.Option(help="An audit.json of this adapter, or the folder it is in.")],
) -> None:
    """Write what an audit found into the README of an adapter."""
    from latentveil.auditing.files import fill_card
    from latentveil.auditing.result import load_audit

    print(fill_card(adapter, load_audit(audit)))
