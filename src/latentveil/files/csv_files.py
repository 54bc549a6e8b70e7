"""CSV files that others wrote: read whole, or refused with a sentence."""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence
from io import StringIO

from latentveil.errors import InputError
from latentveil.files.place_files import local_file
from latentveil.files.places import PlaceLike, as_place
from latentveil.files.regular_files import require_regular_file

# Labels of millions of videos; a file that grows without end stops here.
MOST_CHARACTERS = 1 << 28


def read_rows(
    path: PlaceLike, *, required: Sequence[str], may_be_empty: bool = False
) -> list[dict[str, str]]:
    """The rows of a CSV file as dictionaries, with ``required`` columns present and no ragged line."""
    place = as_place(path)
    require_regular_file(place, what="a CSV file")
    try:
        with local_file(place) as here, open(here, newline="", encoding="utf-8-sig") as file:
            text = file.read(MOST_CHARACTERS + 1)
        if len(text) > MOST_CHARACTERS:
            raise InputError(f"{path} must have at most {MOST_CHARACTERS} characters, got more. Split it.")
        reader = csv.DictReader(StringIO(text, newline=""))
        names = list(reader.fieldnames or [])
        rows = list(reader)
    except FileNotFoundError as error:
        raise InputError(f"{path} must be a CSV file, got nothing there.") from error
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise InputError(f"{path} must be a CSV file in UTF-8, got: {error}. Save it as one.") from error
    if len(set(names)) < len(names):
        raise InputError(f"{path} must name each column once, got {', '.join(names)}.")
    missing = [name for name in required if name not in names]
    if missing:
        raise InputError(
            f"{path} must have the columns {', '.join(required)}, separated by commas, got "
            f"{', '.join(names) or 'none'}.{_likely_slip(missing[0], names)}"
        )
    for number, row in enumerate(rows, start=2):
        if None in row or None in row.values():
            raise InputError(f"{path}: line {number} must have {len(names)} values, got {shortened(row)}.")
    if not rows and not may_be_empty:
        raise InputError(f"{path} must have at least one row, got none.")
    return rows


def _likely_slip(missing: str, names: Sequence[str]) -> str:
    """What to do, behind a blank, where a first line without the column ``missing`` shows what went wrong."""
    if missing in [name.strip() for name in names]:
        return " Take out the blanks around the commas."
    if len(names) == 1 and missing in re.split(r"[;\t|]", names[0]):
        return " Save it with commas."
    return ""


def shortened(row: object) -> str:
    """A row as a sentence can hold it."""
    text = str(row)
    return text if len(text) <= 200 else f"{text[:200]}…"
