"""JSON that others wrote: read whole, or refused with a sentence, whatever is in it."""

from __future__ import annotations

import json
import sys
from typing import Any

from latentveil.errors import InputError
from latentveil.files.places import PlaceLike
from latentveil.files.regular_files import read_file


def read_json(path: PlaceLike, *, what: str) -> Any:
    """The content of a JSON file that should be ``what``, such as "a manifest"."""
    return parse_json(read_file(path, what=what), path=path, what=what)


def parse_json(content: bytes | str, *, path: PlaceLike, what: str) -> Any:
    """The content as plain values: every whole number has a float beside it, every text can be written again."""
    try:
        found = json.loads(content, parse_int=_whole_number)
        json.dumps(found, ensure_ascii=False).encode()
    except RecursionError as error:
        raise InputError(f"{path} must be {what}, got JSON that is nested too deep.") from error
    except OverflowError as error:
        raise InputError(f"{path} must be {what}, got {error}. Mend it there.") from error
    except UnicodeEncodeError as error:
        half = error.object[error.start]
        raise InputError(
            f"{path} must be {what}, got text with {half!r}, half of a character. Mend it there."
        ) from error
    except ValueError as error:  # no JSON, no UTF-8, a whole number of thousands of digits
        raise InputError(f"{path} must be {what}, got no JSON: {error}.") from error
    return found


def _whole_number(digits: str) -> int:
    number = int(digits)
    if abs(number) > sys.float_info.max:
        raise OverflowError(f"a whole number of {len(digits)} digits, beyond what can be calculated with")
    return number
