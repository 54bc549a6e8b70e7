"""How commands tell which files they could not take."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

from latentveil.printable import printable

if TYPE_CHECKING:
    from latentveil.extraction.worker import Failed


def tell_failures(failures: Sequence[Failed]) -> None:
    """How many failed and the reason of each, on standard error; nothing where none did."""
    if failures:
        print(f"{len(failures)} failed:", file=sys.stderr)
    for failure in failures:
        print(f"  {printable(failure.reason)}", file=sys.stderr)
