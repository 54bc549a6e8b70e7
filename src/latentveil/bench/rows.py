"""The rows of a recipe: one adapter each, written out one by one or as a sweep over the values of a setting."""

from __future__ import annotations

import re
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from latentveil.config import Settings
from latentveil.methods.plan import FitPlan, load_config
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.fit import choose_settings
from latentveil.tasks.build import MOTION

ACTION_ONLY = ("action",)


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Row(Strict):
    """One way to make an adapter. ``curve`` names the trade-off curve the row is a point of, if any.

    ``full`` rows are graded on every secret and kind of clip; the others on the recipe's first secret, as curve points.
    ``checkpoints`` are epochs before the last after which the adapter is graded too, on the first secret and every kind
    of clip; such a moment is a row of its own, ``part_of`` this one. With ``motion`` the adapter also keeps what moves.
    ``tasks`` are what it is fitted for, on the ``people`` share of those who are there to learn from. A ``live`` row
    trains on random views of the video files, encoded anew each epoch. ``store`` names the folder below the data's that
    has another encoder's features. ``paper`` are the numbers that a publication prints for this row, by our column.

    A ``scattered`` row is a control: its features are as far from the raw ones as the adapter's, in random directions.
    A row that is not ``quick`` is left out with `--quick`.

    With ``pixels``, a pixel method, the row rewrites the videos themselves; ``preset`` and ``changes`` are then of this
    method, a blank preset being its own settings.
    """

    name: str
    preset: str = "veil"
    changes: tuple[str, ...] = ()
    motion: bool = False
    tasks: tuple[str, ...] = ACTION_ONLY
    people: float = Field(1.0, gt=0, le=1)
    live: bool = False
    scattered: bool = False
    store: str = Field("", pattern=r"^[\w.-]*$")
    curve: str = ""
    full: bool = True
    checkpoints: tuple[int, ...] = ()
    paper: dict[str, float] = Field(default_factory=dict)
    part_of: str = ""
    quick: bool = True
    pixels: str = ""

    @property
    def key(self) -> str:
        """What tells this row from others: its name and settings."""
        own = [MOTION] if self.motion else []
        own += [f"pixels {self.pixels}"] if self.pixels else []
        if self.tasks != ACTION_ONLY:
            own.append(f"for {'+'.join(self.tasks) or 'none'}")
        if self.people < 1:
            own.append(f"people {self.people:g}")
        own += ["live"] if self.live else []
        own += ["scattered"] if self.scattered else []
        own += [f"of {self.store}"] if self.store else []
        return " ".join((self.name, self.preset, *own, *self.changes))

    @property
    def all_tasks(self) -> tuple[str, ...]:
        """The tasks that the adapter is fitted for, motion among them where it is kept."""
        return (*self.tasks, *((MOTION,) if self.motion else ()))

    def config(self, *, seed: int) -> FitPlan:
        return load_config(self.preset, (*self.changes, f"train.seed={seed}"))

    def pixel_settings(self, *, seed: int) -> Settings:
        """What the pixel method of the row is told."""
        method = PIXEL_METHODS.get(self.pixels)
        return choose_settings(method, self.preset or None, [*self.changes, f"train.seed={seed}"])

    def settings(self, *, seed: int) -> Settings:
        """What the row's method is told, of features or of pixels."""
        return self.pixel_settings(seed=seed) if self.pixels else self.config(seed=seed).settings

    @property
    def trained(self) -> bool:
        """Whether something is trained for this row."""
        return PIXEL_METHODS.get(self.pixels).learned if self.pixels else self.config(seed=0).method.trained

    def recipe(self, *, seed: int) -> dict[str, Any]:
        """Method and settings, for the record."""
        method = self.pixels or self.config(seed=seed).method.name
        return {"method": method, "settings": self.settings(seed=seed).model_dump(mode="json")}

    def after(self, epochs: int) -> Row:
        """This row, stopped after ``epochs``."""
        others = [change for change in self.changes if not change.startswith("train.epochs=")]
        return self.model_copy(
            update={
                "name": f"{self.name}, epoch {epochs}",
                "changes": (*others, f"train.epochs={epochs}"),
                "curve": "",
                "full": False,
                "checkpoints": (),
                "paper": {},
                "part_of": self.name,
            }
        )

    def folder(self, *, seed: int) -> str:
        """A file name for what belongs to this row under one seed."""
        return f"{re.sub('[^a-z0-9]+', '-', self.name.lower()).strip('-')}-{seed}"


class Sweep(Strict):
    """Rows that differ in one setting: ``name`` with {value} in it, the ``setting``, and its ``values``.

    ``paper`` has the numbers of a publication for each value, in their order, or nothing.
    """

    name: str
    setting: str
    values: tuple[str | int | float, ...]
    preset: str = "veil"
    changes: tuple[str, ...] = ()
    motion: bool = False
    curve: str = ""
    paper: tuple[dict[str, float], ...] = ()
    pixels: str = ""

    def rows(self) -> tuple[Row, ...]:
        """One row for each value."""
        papers = self.paper or tuple({} for _ in self.values)
        return tuple(
            Row(
                name=self.name.format(value=value),
                preset=self.preset,
                changes=(*self.changes, f"{self.setting}={value}"),
                motion=self.motion,
                curve=self.curve,
                paper=paper,
                pixels=self.pixels,
            )
            for value, paper in zip(self.values, papers)
        )
