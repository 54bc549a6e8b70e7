"""How messages name an argument: as Python writes it, or as an option to those who type a command.

A message says ``f"Add {argument('labels', 'labels.csv')}."``; readers find their own words in it: labels='labels.csv'
in Python, --labels labels.csv after `veil`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

# The options of the command that is running, by the names of its arguments; None in Python.
_options: Mapping[str, str] | None = None


@contextmanager
def named_as_options(options: Mapping[str, str]) -> Iterator[None]:
    """Let messages speak of options, as a command has them: {"settings": "--set"}."""
    global _options
    before, _options = _options, options
    try:
        yield
    finally:
        _options = before


def argument(name: str, value: str | int | Sequence[str] | None = None) -> str:
    """The argument ``name``, set to ``value`` where one is given; True for one that is switched on."""
    if _options is None:
        return name if value is None else f"{name}={value!r}"
    option = _options.get(name, f"--{name.replace('_', '-')}")
    if value is None or value is True:
        return option
    return f"{option} {value if isinstance(value, str | int) else ','.join(value)}"
