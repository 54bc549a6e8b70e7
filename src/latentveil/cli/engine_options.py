"""Options that say where the work of a command is done."""

from __future__ import annotations

from typing import Annotated

import typer

EngineName = Annotated[str, typer.Option(help="local, or ray for a cluster.")]
EngineAddress = Annotated[
    str | None, typer.Option(help="Of the Ray cluster, e.g. auto; this machine by default.")
]
EngineWorkers = Annotated[int | None, typer.Option(help="Workers of the cluster; all it has by default.")]
