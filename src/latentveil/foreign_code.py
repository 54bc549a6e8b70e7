"""Code of others that runs in ours: it is imported by name, remembered, and blamed for the errors that it raises."""

from __future__ import annotations

import hashlib
import os
import re
import sys
import traceback
from collections.abc import Iterable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from latentveil.errors import CollapsedTrainingError, InputError, PluginError

DEBUG = "LATENTVEIL_DEBUG"
OUR_PACKAGE = __name__.partition(".")[0]
# How Python says that a function was called with other arguments than it takes: no frame of that function is there.
_WRONG_CALL = re.compile(r"([\w.]+)\(\) (?:got|missing|takes) ")


@dataclass(frozen=True)
class Foreign:
    """A plug-in of others: its ``kind``, what it is ``said`` to be called, its module, and the name of its class."""

    kind: str
    said: str
    module: str
    type_name: str

    def __str__(self) -> str:
        return f"{self.kind} {self.said}"


_remembered: dict[Foreign, None] = {}  # in the order in which they came


def import_named(spec: str) -> Any:
    """The object that ``package.module:object`` names; an ImportError says that there is none of that name.

    What else its module raises is the module's fault, and told as such.
    """
    module_name, _, attribute = spec.partition(":")
    look_in_working_folder()
    try:
        found: Any = import_module(module_name)
    except (ValueError, TypeError) as error:  # no name of a module at all
        raise ImportError(str(error)) from error
    except Exception as error:
        missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
        if missing is not None and f"{module_name}.".startswith(f"{missing}."):
            raise
        raise unloadable(f"module {module_name}", error) from error
    try:
        for part in attribute.split("."):
            found = getattr(found, part)
    except AttributeError as error:
        raise ImportError(str(error)) from error
    return found


def code_of(module: str) -> str | None:
    """The checksum of a module's file, which tells whether somebody has changed it; None for ours, and without one."""
    file = getattr(sys.modules.get(module), "__file__", None)
    if file is None or _is_ours(module):
        return None
    return hashlib.sha256(Path(file).read_bytes()).hexdigest()


def look_in_working_folder() -> None:
    """Let modules be imported from the working folder, where people keep their own; `veil` does not look there."""
    if not {os.getcwd(), ""} & set(sys.path):
        sys.path.append(os.getcwd())


def remember(kind: str, said: str, *, spec: str, plugin: object) -> None:
    """Note whose code runs from now on; ``spec`` is where it was imported from."""
    module = spec.partition(":")[0]
    if not _is_ours(module):
        _remembered[Foreign(kind, said, module, type(plugin).__qualname__)] = None


def remembered() -> tuple[Foreign, ...]:
    """What is known so far, for other processes."""
    return tuple(_remembered)


def remember_all(foreign: Iterable[Foreign]) -> None:
    """Know what another process knows."""
    _remembered.update(dict.fromkeys(foreign))


def blamed(error: Exception) -> Exception:
    """The error, or where it came out of the code of others, a sentence about whose fault it is.

    With LATENTVEIL_DEBUG in the environment the traceback is printed, too.
    """
    if isinstance(error, InputError | CollapsedTrainingError | MemoryError):
        return error
    steps = [(frame, line) for frame, line in traceback.walk_tb(error.__traceback__)]
    for frame, line in reversed(steps):
        suspects = [one for one in _remembered if _is_of(frame, one.module)]
        if suspects:
            at_work = [one for one in suspects if any(_belongs_to(step, one) for step, _ in steps)]
            who = " or ".join(map(str, at_work or suspects))
            return _told(
                f"the {who} must do its work", error, where=f"{frame.f_code.co_filename}, line {line}"
            )
    called = _WRONG_CALL.match(str(error)) if isinstance(error, TypeError) else None
    if called is not None:
        wrong = [one for one in _remembered if _has_function(one.module, called[1])]
        if wrong:
            return _told(f"the {' or '.join(map(str, wrong))} must take what it is called with", error)
    return error


def unloadable(what: str, error: Exception) -> PluginError:
    """A sentence about code of others that cannot even be imported."""
    return _told(f"{what} must be one that Python can import", error)


def _told(rule: str, error: Exception, *, where: str = "") -> PluginError:
    if os.environ.get(DEBUG):
        traceback.print_exception(error)
    place = f" ({where})" if where else ""
    reason = f"{type(error).__name__}: {error}".removesuffix(".")
    found = PluginError(
        f"{rule}, got {reason}{place}. Mend it or leave it out; {DEBUG}=1 shows the traceback."
    )
    found.__cause__ = error
    return found


def _is_ours(module: str) -> bool:
    return module.partition(".")[0] == OUR_PACKAGE


def _is_of(frame: FrameType, module: str) -> bool:
    """Whether the code of a frame is of the package that a module belongs to."""
    name = str(frame.f_globals.get("__name__"))
    return name.partition(".")[0] == module.partition(".")[0]


def _has_function(module: str, qualified_name: str) -> bool:
    found: Any = sys.modules.get(module)
    for part in qualified_name.split("."):
        found = getattr(found, part, None)
    return callable(found)


def _belongs_to(frame: FrameType, foreign: Foreign) -> bool:
    return type(frame.f_locals.get("self")).__qualname__ == foreign.type_name
