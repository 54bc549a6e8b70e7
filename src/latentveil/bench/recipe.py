"""A recipe: which methods with which settings are compared, on what, under which protocol; written as TOML."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from pydantic import Field, ValidationError, model_validator

from latentveil.attacks import load_attacks
from latentveil.bench.actors_data import ActorsData
from latentveil.bench.claims import Claim
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.recipe_errors import explain_invalid
from latentveil.bench.rows import Row as Row
from latentveil.bench.rows import Strict, Sweep
from latentveil.errors import InputError, UsageError
from latentveil.methods.base import load_method
from latentveil.names import did_you_mean
from latentveil.types import KINDS

RECIPES = Path(__file__).parent / "recipes"
SEEN_UNSEEN = "seen_unseen"


class Paper(Strict):
    """Where the numbers of a publication come from: the ``source``, its headings by our ``columns``, ``percent``."""

    source: str
    columns: dict[str, str]
    percent: bool = True


class Recipe(Strict):
    """What a bench runs: the ``rows`` (and ``sweeps``) under a ``protocol`` with its own ``options``.

    ``about`` says on the page what a reader must know of the rows. ``data`` names the data the recipe is for, and
    ``actors`` which of them, where these are meant. ``secrets`` are attacked by name, the first of them for curves, in
    the ``kinds`` of clips, by ``attacks``.

    With ``components`` every method and attack works on that many principal components of the features (of the training
    videos, no labels), which makes training many adapters affordable; 0 keeps the features as they are. Their mean is
    taken away only where the recipe says ``centred``. ``floor`` names a row that publishes nothing of its input: what
    the best of many attacks scores there by luck alone. ``quick`` are changes to trained rows for `--quick`,
    ``quick_pixels`` to those that rewrite videos, and ``quick_options`` take the place of options.
    """

    title: str
    protocol: str = SEEN_UNSEEN
    about: str = ""
    data: str = ""
    actors: ActorsData = Field(default_factory=ActorsData)
    options: dict[str, Any] = Field(default_factory=dict)
    secrets: tuple[str, ...] = ("identity", "gender")
    kinds: tuple[str, ...] = ("temporal", "static")
    attacks: str | tuple[str, ...] = "all"
    curve_attacks: tuple[str, ...] = ("linear", "lda", "neighbours", "informed")
    num_seen: int = Field(4, ge=2)
    components: int = Field(0, ge=0)
    centred: bool = False
    floor: str = ""
    quick: tuple[str, ...] = ()
    quick_pixels: tuple[str, ...] = ()
    quick_options: dict[str, Any] = Field(default_factory=dict)
    plot: tuple[str, ...] = ()
    paper: Paper | None = None
    claims: tuple[Claim, ...] = ()
    rows: tuple[Row, ...] = ()
    sweeps: tuple[Sweep, ...] = ()

    @property
    def all_rows(self) -> tuple[Row, ...]:
        """The rows, each after its checkpoints."""
        found: list[Row] = []
        for row in self.rows:
            found += [*(row.after(epochs) for epochs in row.checkpoints), row]
        return tuple(found)

    @property
    def asked(self) -> dict[str, Any]:
        """What of the recipe decides how a row is measured, with the options in full: a default may change one day."""
        stated = self.model_dump(mode="json", include={"protocol", "secrets", "kinds", "attacks"})
        return stated | {"options": PROTOCOLS.get(self.protocol).in_full(self.options)}

    @property
    def raw(self) -> str:
        """The name of the row that leaves features as they are; empty where there is none."""
        same = [row.name for row in self.rows if "method=identity" in row.changes]
        return same[0] if same else ""

    def raw_of(self, name: str) -> str:
        """The row that leaves the features of the same store as row ``name`` as they are; empty where there is none.

        A claim may name a row that was not chosen to be run.
        """
        stores = {row.name: row.store for row in self.rows}
        same = [
            row.name
            for row in self.rows
            if "method=identity" in row.changes and row.store == stores.get(name)
        ]
        return same[0] if same else ""

    @model_validator(mode="before")
    @classmethod
    def _write_out_sweeps(cls, values: Any) -> Any:
        """The rows of sweeps behind the others, so that nobody else needs to know of sweeps."""
        if not isinstance(values, dict) or not values.get("sweeps"):
            return values
        sweeps = [Sweep.model_validate(sweep) for sweep in values["sweeps"]]
        return values | {"rows": [*values.get("rows", ()), *(row for one in sweeps for row in one.rows())]}

    @model_validator(mode="after")
    def _check(self) -> Recipe:
        unknown = [kind for kind in self.kinds if kind not in KINDS]
        if unknown or not self.kinds:
            raise ValueError(f"kinds must be among {', '.join(KINDS)}, got {(unknown or ['none'])[0]}")
        if not self.rows or (not self.secrets and self.protocol == SEEN_UNSEEN):
            raise ValueError("secrets and rows must be one or more, got none")
        names = [row.folder(seed=0) for row in self.all_rows]
        if len(set(names)) < len(names):
            twice = max(self.all_rows, key=lambda row: names.count(row.folder(seed=0)))
            raise ValueError(f"rows must have different names, got {twice.name!r} twice")
        if self.floor and self.floor not in [row.name for row in self.rows if row.full]:
            raise ValueError(f"floor must name a full row, got {self.floor!r}")
        known = {row.name for row in self.rows}
        for claim in self.claims:
            for comparison in claim.comparisons:
                unknown = [name for name in (comparison.row, comparison.than) if name not in known]
                if unknown:
                    raise ValueError(f"claims must compare rows of the recipe, got {unknown[0]!r}")
        return self


def known_recipes() -> list[str]:
    """The names of the recipes that come with latentveil."""
    return sorted(found.stem for found in RECIPES.glob("*.toml"))


def load_recipe(name: str) -> Recipe:
    """The recipe called ``name`` that comes with latentveil, or the TOML file at that path."""
    path = RECIPES / f"{name}.toml"
    if not path.is_file():
        path = Path(name)
    if not path.is_file():
        kind = (
            InputError if path.suffix else UsageError
        )  # a file that is not there, or a name that nothing has
        raise kind(
            f"recipe must be one of {', '.join(known_recipes())} or a TOML file, got {name!r}."
            + did_you_mean(name, known_recipes())
        )
    try:
        values: dict[str, Any] = tomllib.loads(path.read_text())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} must be a recipe in TOML, got: {error}.") from error
    try:
        recipe = Recipe.model_validate(values)
    except ValidationError as error:
        raise InputError(f"{path}: {explain_invalid(error, values)}") from error
    for name, options in {
        "options": recipe.options,
        "quick_options": {**recipe.options, **recipe.quick_options},
    }.items():
        try:
            PROTOCOLS.get(recipe.protocol).Options.model_validate(options)
        except ValidationError as error:
            raise InputError(f"{path}: {name}: {explain_invalid(error, options)}") from error
    try:
        _check_attacks(recipe)
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


def _check_attacks(recipe: Recipe) -> None:
    """Refuse a name that no attack has, and then curves of attacks that are not run."""
    run, drawn = (
        [attack.name for attack in load_attacks(names)] for names in (recipe.attacks, recipe.curve_attacks)
    )
    missing = [name for name in drawn if name not in run]
    if missing:
        raise InputError(
            f"attacks must include the curve_attacks, got no {missing[0]!r}. Add it, or name other curve_attacks."
        )


def _check_settings(row: Row) -> None:
    """Refuse a row whose settings no method would take, before hours are spent on the rows before it."""
    if row.pixels:
        row.pixel_settings(seed=0)
        if row.checkpoints:
            raise InputError(
                f"checkpoints must be left out where pixels are rewritten, got {row.checkpoints}."
            )
        return
    config = row.config(seed=0)
    load_method(config.method, motion=row.motion)
    last = getattr(config.settings.train, "epochs", 1)
    if list(row.checkpoints) != sorted(set(row.checkpoints) & set(range(1, last))):
        raise InputError(f"checkpoints must rise within 1 to {last - 1}, got {list(row.checkpoints)}.")
    schedule = getattr(config.settings.train, "schedule", "constant")
    if row.checkpoints and schedule != "constant":
        raise InputError(
            f"checkpoints must be of a training at a constant rate, got train.schedule={schedule}. Its rate depends "
            "on how long it will last, so that no shorter training is a part of it."
        )
