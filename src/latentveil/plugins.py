"""Plug-ins: one object each, found by name in this package, as ``package.module:object``, or by an entry point.

A file of a room that assigns the name of its kind is a plug-in: ``attacks/lda.py`` with ``attack = LDA()`` is the
attack `lda`. Another package adds one with an entry point in the group ``latentveil.<kind>s``, without touching ours.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from importlib.metadata import EntryPoint, entry_points
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Generic, TypeVar

from latentveil.errors import InputError, UsageError
from latentveil.foreign_code import import_named, remember, unloadable
from latentveil.names import did_you_mean

Plugin = TypeVar("Plugin")


@dataclass(frozen=True)
class Kind(Generic[Plugin]):
    """One kind of plug-in: what its objects are called, the room they live in, and the type they must have.

    ``name`` is both the variable that a file assigns and the word in errors. ``hyphens`` says that names are written
    with hyphens where files have underscores. ``wrap`` makes a plug-in of a bare object that is not of ``type``
    (a factory function, say), or returns None where it cannot.
    """

    name: str
    room: str
    type: type[Plugin]
    hyphens: bool = False
    wrap: Callable[[Any, str], Plugin | None] | None = None

    @property
    def group(self) -> str:
        """The entry points that other packages use."""
        return f"latentveil.{self.name.replace(' ', '_')}s"

    def names(self) -> list[str]:
        """Every name that ``get`` knows without a colon, sorted: ours and those of installed packages."""
        return sorted({*self._files(), *self._entry_points()})

    def get(self, plugin: str | Plugin) -> Plugin:
        """The plug-in called so, or the object itself where one was handed over."""
        if not isinstance(plugin, str):
            return self._checked(plugin, repr(plugin))
        if plugin in self._files():
            return self._own(plugin)
        if plugin in self._entry_points():
            return self._foreign(plugin)
        if ":" in plugin:
            found = self._checked(self._imported(plugin), plugin)
            remember(self.name, repr(plugin), spec=plugin, plugin=found)
            return found
        raise UsageError(
            f"{self.name} must be one of {', '.join(self.names())}, or package.module:object, got {plugin!r}."
            + did_you_mean(plugin, self.names())
        )

    def all(self) -> list[Plugin]:
        """Every plug-in with a name, in the order of the names."""
        return [self.get(name) for name in self.names()]

    def _own(self, name: str) -> Plugin:
        module = import_module(f"{self.room}.{self._files()[name]}")
        found = self._checked(getattr(module, self._variable), name)
        own_name = getattr(found, "name", name)
        assert own_name == name, f"{self.name} {own_name!r} must live in a file of its name, got {name!r}"
        return found

    def _foreign(self, name: str) -> Plugin:
        point = self._entry_points()[name]
        try:
            found = point.load()
        except Exception as error:  # whatever another package raises on import
            raise unloadable(f"the {self.name} {name!r} ({point.value})", error) from error
        plugin = self._checked(found, name)
        own_name = getattr(plugin, "name", name)
        if own_name != name:
            raise InputError(
                f"{self.name} {name!r} must be called so by its object ({point.value}), too, got {own_name!r}. "
                "Mend the entry point of that package."
            )
        package = f" of {point.dist.name} {point.dist.version}" if point.dist is not None else ""
        remember(self.name, f"{name!r} ({point.value}{package})", spec=point.value, plugin=plugin)
        return plugin

    def _imported(self, spec: str) -> Any:
        try:
            return import_named(spec)
        except ImportError as error:
            raise UsageError(
                f"{self.name} must be one of {', '.join(self.names())}, or package.module:object that can be "
                f"imported, got {spec!r}: {error}." + did_you_mean(spec.partition(":")[0], self.names())
            ) from error

    def _checked(self, found: Any, said: str) -> Plugin:
        if isinstance(found, type) and issubclass(found, self.type):
            raise UsageError(
                f"{self.name} must be an object, got the class {found.__name__}. Write {found.__name__}()."
            )
        if not isinstance(found, self.type) and self.wrap is not None:
            found = self.wrap(found, said) or found
        if not isinstance(found, self.type):
            raise InputError(
                f"{self.name} must be of type {self.type.__name__}, got {type(found).__name__} for {said}."
            )
        return found

    @property
    def _variable(self) -> str:
        return self.name.replace(" ", "_")

    def _files(self) -> dict[str, str]:
        """The names of this package's own plug-ins, and their files' stems."""
        stems = _stems(self.room, self._variable)
        return {stem.replace("_", "-") if self.hyphens else stem: stem for stem in stems}

    def _entry_points(self) -> dict[str, EntryPoint]:
        """The plug-ins of other packages; a name of ours, or one that two packages use, is refused."""
        found: dict[str, EntryPoint] = {}
        for point in entry_points(group=self.group):
            other = found.get(point.name)
            taken = "latentveil" if point.name in self._files() else other and other.value
            if taken and taken != point.value:
                raise InputError(
                    f"{self.name} {point.name!r} must be one plug-in's name, got {taken} and {point.value}. "
                    "Uninstall one of them, or name it as package.module:object."
                )
            found[point.name] = point
        return found


@cache
def _stems(room: str, variable: str) -> tuple[str, ...]:
    """The files of a room that assign ``variable`` at the top; they are read, not imported, to keep help instant."""
    spec = find_spec(room)
    assert spec is not None
    assert spec.submodule_search_locations is not None
    assigns = re.compile(rf"^{variable}(: [^=\n]+)? = ", re.MULTILINE)
    found = []
    for folder in spec.submodule_search_locations:
        files = sorted(Path(folder).glob("[a-z]*.py"))
        found += [path.stem for path in files if assigns.search(path.read_text(encoding="utf-8"))]
    return tuple(found)
