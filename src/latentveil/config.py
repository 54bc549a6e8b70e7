"""Settings that refuse what they do not know, and a strict way to change single values of them.

A method's settings are its own: a model derived from ``Settings``, with just the values that the method reads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from latentveil.errors import UsageError
from latentveil.names import did_you_mean
from latentveil.seeds import LARGEST_SEED
from latentveil.wrong_values import wrong_value

TASKS = ("action", "detection", "anomaly")
USUAL_TASK = "action"  # where a fit is told none


class Section(BaseModel):
    """Values that belong together; unknown names, wrong types and infinity are refused, and nothing ever changes."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class RunSection(Section):
    """What every method takes: the seed of everything random, and where networks run."""

    seed: int = Field(0, ge=0, le=LARGEST_SEED)
    device: str = "cpu"


class Settings(Section):
    """The settings of a method that reads no more than these; others add values and sections to it."""

    train: RunSection = RunSection()

    def task_options(self) -> dict[str, Any]:
        """How the tasks are to be built for this method: options of ``build_tasks``."""
        return {}

    def group_columns(self) -> tuple[str, ...]:
        """The columns of the labels that say which videos belong together, for a method that asks for some."""
        return ()


AnySection = TypeVar("AnySection", bound=Section)


def change_settings(settings: AnySection, changes: Sequence[str], *, owner: str) -> AnySection:
    """The settings with values changed by texts such as ``train.epochs=5``; ``owner`` is whose settings these are."""
    values = settings.model_dump()
    for change in changes:
        path, equals, text = change.partition("=")
        if not equals:
            raise UsageError(f"a setting must be of the form section.name=value, got {change!r}.")
        _set(settings, values, path.strip(), text, owner=owner)
    return check_settings(type(settings), values)


def as_changes(settings: Mapping[str, Any] | Sequence[str]) -> list[str]:
    """Settings as texts ``section.name=value``; dictionaries in a dictionary are sections."""
    if isinstance(settings, str):
        raise UsageError(f"settings must be a list or a dictionary, got a text. Write [{settings!r}].")
    if not isinstance(settings, Mapping):
        return list(settings)
    changes = []
    for name, value in settings.items():
        if isinstance(value, Mapping):
            changes += [f"{name}.{change}" for change in as_changes(value)]
        else:
            text = ",".join(map(str, value)) if isinstance(value, list | tuple) else value
            changes.append(f"{name}={text}")
    return changes


def check_settings(model: type[AnySection], values: dict[str, Any]) -> AnySection:
    """The ``model`` with these values, or an error that names the first wrong one."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise wrong_value(error) from error


def known_settings(settings: Section, *, prefix: str = "") -> list[str]:
    """The full names of all values; a star stands for the names that a table may have."""
    names = []
    for name in type(settings).model_fields:
        value = getattr(settings, name)
        if isinstance(value, Section):
            names += known_settings(value, prefix=f"{prefix}{name}.")
        else:
            names.append(f"{prefix}{name}.*" if isinstance(value, dict) else prefix + name)
    return names


def _set(settings: Section, values: dict[str, Any], path: str, text: str, *, owner: str) -> None:
    """Put ``text`` into the nested dictionaries ``values`` at the place that ``path`` names."""
    *sections, name = path.split(".")
    place: Any = settings
    for section in sections:
        place = getattr(place, section, None) if _has(place, section) else None
        values = values.get(section, {})
    if not (_has(place, name) or isinstance(place, dict)):
        known = known_settings(settings)
        raise UsageError(
            f"a setting must be one that {owner} has, got {path!r}. It has {', '.join(known)}."
            + did_you_mean(path, known)
        )
    several = isinstance(values.get(name), tuple)
    values[name] = (
        tuple(part.strip() for part in text.split(",") if part.strip()) if several else text.strip()
    )


def _has(place: Any, name: str) -> bool:
    """Whether ``place`` is a section with a value or section called ``name``."""
    return isinstance(place, Section) and name in type(place).model_fields
