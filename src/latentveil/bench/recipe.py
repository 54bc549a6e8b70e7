"""A recipe: which methods with which settings are compared, on what, under which attacks; written as TOML."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator

from latentveil.attacks import load_attacks
from latentveil.bench.recipe_errors import explain_invalid
from latentveil.errors import InputError
from latentveil.methods.base import load_method
from latentveil.methods.plan import FitPlan, load_config
from latentveil.tasks.build import MOTION
from latentveil.types import KINDS

RECIPES = Path(__file__).parent / "recipes"


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Row(_Strict):
    """One way to make an adapter. ``curve`` names the trade-off curve the row is a point of, if any.

    ``full`` rows are graded on every secret and kind of clip; the others on the recipe's first secret, as curve points.
    ``checkpoints`` are epochs before the last after which the adapter is graded too, on the first secret and every kind
    of clip; such a moment is a row of its own, ``part_of`` this one. With ``motion`` the adapter also keeps what moves.
    """

    name: str
    preset: str = "veil"
    changes: tuple[str, ...] = ()
    motion: bool = False
    curve: str = ""
    full: bool = True
    checkpoints: tuple[int, ...] = ()
    part_of: str = ""

    @property
    def key(self) -> str:
        """What tells this row from others: its name and settings."""
        return " ".join((self.name, self.preset, *([MOTION] if self.motion else []), *self.changes))

    def config(self, *, seed: int) -> FitPlan:
        return load_config(self.preset, (*self.changes, f"train.seed={seed}"))

    def after(self, epochs: int) -> Row:
        """This row, stopped after ``epochs``."""
        others = [change for change in self.changes if not change.startswith("train.epochs=")]
        return Row(
            name=f"{self.name}, epoch {epochs}",
            preset=self.preset,
            changes=(*others, f"train.epochs={epochs}"),
            full=False,
            part_of=self.name,
        )

    def folder(self, *, seed: int) -> str:
        """A file name for what belongs to this row under one seed."""
        return f"{re.sub('[^a-z0-9]+', '-', self.name.lower()).strip('-')}-{seed}"


class Recipe(_Strict):
    """What a bench runs: ``secrets`` by name, the first of them for curves, ``kinds`` of clips, ``attacks``.

    With ``components`` every method and attack works on that many principal components of the features (of the training
    videos, no labels), which makes training many adapters affordable; 0 keeps the features as they are. ``floor`` names
    a row that publishes nothing of its input: what the best of many attacks scores there by luck alone.
    """

    title: str
    secrets: tuple[str, ...] = ("identity", "gender")
    kinds: tuple[str, ...] = ("temporal", "static")
    attacks: str | tuple[str, ...] = "all"
    curve_attacks: tuple[str, ...] = ("linear", "lda", "neighbours", "informed")
    num_seen: int = Field(4, ge=2)
    components: int = Field(0, ge=0)
    floor: str = ""
    rows: tuple[Row, ...]

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """The rows, each after its checkpoints."""
        found: list[Row] = []
        for row in self.rows:
            found += [*(row.after(epochs) for epochs in row.checkpoints), row]
        return tuple(found)

    @model_validator(mode="after")
    def _check(self) -> Recipe:
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown or not self.kinds:
            raise ValueError(f"kinds must be among {', '.join(KINDS)}, got {(unknown or ['none'])[0]}")
        if not self.secrets or not self.rows:
            raise ValueError("secrets and rows must be one or more, got none")
        names = [row.folder(seed=0) for row in self.all_rows]
        if len(set(names)) < len(names):
            twice = max(self.all_rows, key=lambda row: names.count(row.folder(seed=0)))
            raise ValueError(f"rows must have different names, got {twice.name!r} twice")
        if self.floor and self.floor not in [row.name for row in self.rows if row.full]:
            raise ValueError(f"floor must name a full row, got {self.floor!r}")
        missing = set() if self.attacks == "all" else set(self.curve_attacks) - set(self.attacks)
        if missing:
            raise ValueError(f"attacks must include the curve_attacks, got no {sorted(missing)[0]!r}")
        return self


def load_recipe(name: str) -> Recipe:
    """The recipe called ``name`` that comes with latentveil, or the TOML file at that path."""
    path = RECIPES / f"{name}.toml"
    if not path.is_file():
        path = Path(name)
    if not path.is_file():
        known = sorted(found.stem for found in RECIPES.glob("*.toml"))
        raise InputError(f"recipe must be one of {', '.join(known)} or a TOML file, got {name!r}.")
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} must be a recipe in TOML, got: {error}.") from error
    try:
        recipe = Recipe.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{path}: {explain_invalid(error, values)}") from error
    try:
        for names in (recipe.attacks, recipe.curve_attacks):
            load_attacks(names)
    except InputError as error:
        raise InputError(f"{path}: {error}") from error
    for number, row in enumerate(recipe.rows):
        try:
            _check_settings(row)
        except InputError as error:
            field = str(error).split()[0]
            place = "." if field in Row.model_fields else f" ({row.name!r}): "
            raise InputError(f"{path}: rows[{number}]{place}{error}") from error
    return recipe


def _check_settings(row: Row) -> None:
    """Refuse a row whose settings no method would take, before hours are spent on the rows before it."""
    config = row.config(seed=0)
    load_method(config.method, motion=row.motion)
    last = getattr(config.settings.train, "epochs", 1)
    if list(row.checkpoints) != sorted(set(row.checkpoints) & set(range(1, last))):
        raise InputError(f"checkpoints must rise within 1 to {last - 1}, got {list(row.checkpoints)}.")
