"""`veil verify`: is a store whole?"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated

import typer

from latentveil.errors import InputError


def command(
    store: Annotated[Path, typer.Argument(metavar="STORE", help="The feature store to check.")],
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")] = False,
) -> None:
    """Check every checksum, count and column of a store; leaves with 2 and names the bad shards if any is wrong."""
    from latentveil.files.places import as_place
    from latentveil.progress import shown
    from latentveil.store.manifest import read_manifest
    from latentveil.store.verify import find_problems

    place = as_place(store)
    counts = read_manifest(place).counts
    with shown() as on_progress:
        problems = find_problems(place, on_progress=on_progress)
    if as_json:
        print(json.dumps({"store": str(place), "intact": not problems, "problems": problems}))
    if problems:
        raise InputError(
            f"store {place} must be intact, got {len(problems)} problem{'s' if len(problems) > 1 else ''}:\n"
            + "\n".join(problems)
        )
    if not as_json:
        print(f"{place} is intact: {counts.videos} videos, {counts.clips} clips.")
