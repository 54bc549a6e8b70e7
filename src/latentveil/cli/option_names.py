"""What the arguments of a command are called by those who type it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def option_names(parser: Any, words: Sequence[str]) -> Mapping[str, str]:
    """{name of the argument: option, or the word that stands for it} of the command that ``words`` begin with."""
    for word in words:
        if word.startswith("-"):
            continue
        found = getattr(parser, "commands", {}).get(word)
        if found is None:
            break
        parser = found
    return {param.name: shown_name(param) for param in getattr(parser, "params", ())}


def shown_name(param: Any) -> str:
    """The long form of an option; the word in capital letters of what comes without one."""
    if param.param_type_name == "argument":
        return (param.metavar or param.name).upper()
    return max(param.opts, key=len)
