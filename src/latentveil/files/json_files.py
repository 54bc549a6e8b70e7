"""JSON that others wrote: read whole, or refused with a sentence, whatever is in it."""

from __future__ import annotations

import json
from typing import Any

from latentveil.errors import InputError
from latentveil.files.places import PlaceLike, as_place


def read_json(path: PlaceLike, *, what: str) -> Any:
    """The content of a JSON file that should be ``what``, such as "a manifest"."""
    return parse_json(read_file(path, what=what), path=path, what=what)


def read_file(path: PlaceLike, *, what: str) -> bytes:
    """The bytes of a regular file that should be ``what``; a device may never end."""
    path = as_place(path)
    if path.exists() and not path.is_file():
        raise InputError(f"{path} must be {what}, got no regular file.")
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path} must be {what}, got: {error.strerror}.") from error


def parse_json(content: bytes | str, *, path: PlaceLike, what: str) -> Any:
    """The content as plain values."""
    try:
        return json.loads(content)
    except RecursionError as error:
        raise InputError(f"{path} must be {what}, got JSON that is nested too deep.") from error
    except ValueError as error:  # no JSON, no UTF-8, a whole number of thousands of digits
        raise InputError(f"{path} must be {what}, got no JSON: {error}.") from error
