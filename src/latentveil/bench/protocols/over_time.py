"""The score of Eq. 14 over the time that training takes (the paper's Figure 4): adapters are graded at checkpoints."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

import numpy as np

from latentveil.bench.protocols.action_privacy import ActionPrivacy, ActionPrivacyOptions
from latentveil.bench.rows import Row
from latentveil.bench.scores import Entries, mean_and_half_width
from latentveil.bench.time_plot import Curve, render_time_plot
from latentveil.bench.tradeoff import equation_14

if TYPE_CHECKING:
    from latentveil.bench.recipe import Recipe

SECONDS = "core seconds"


class OverTimeOptions(ActionPrivacyOptions):
    """Those of action_privacy; ``privacy`` and ``utility`` name the columns that Eq. 14 reads."""

    seconds: bool = True
    privacy: str
    utility: str


@dataclass(frozen=True)
class Moment:
    """An adapter at one time of its training."""

    epochs: int
    seconds: list[float]
    score: list[float]


def moments_of(recipe: Recipe, found: Entries, row: Row) -> list[Moment]:
    """The checkpoints of a row and its end, each with its seconds and its score of Eq. 14 under every seed."""
    options = OverTimeOptions.model_validate(recipe.options)
    moments = []
    for one in (*(row.after(epochs) for epochs in row.checkpoints), row):
        score = equation_14(found, one.name, options.privacy, options.utility)
        if score:
            epochs = getattr(one.settings(seed=0).train, "epochs", 0)
            moments.append(Moment(epochs, found.values(one.name, SECONDS), score))
    return moments


class OverTime(ActionPrivacy):
    """Eq. 14 over time."""

    name: ClassVar[str] = "over_time"
    about: ClassVar[str] = "actions against private attributes while adapters train, and what that takes"
    Options: ClassVar[type[ActionPrivacyOptions]] = OverTimeOptions

    def notes(self, recipe: Recipe, found: Entries) -> list[str]:
        lines = [
            "## Over time",
            "",
            f"Eq. 14 is ({recipe.options['utility']} + 1 - {recipe.options['privacy']}) / 2. Seconds are of one core: "
            "those of training up to there, and for stored features those of encoding the training videos once.",
            "",
            "| row | epochs | core seconds | Eq. 14 |",
            "|---|---|---|---|",
        ]
        for row in recipe.rows:
            for moment in moments_of(recipe, found, row):
                lines.append(
                    f"| {row.name} | {moment.epochs or '–'} | {np.mean(moment.seconds):.1f} "
                    f"| {mean_and_half_width(moment.score)} |"
                )
        return [*lines, ""]

    def plot(self, recipe: Recipe, found: Entries) -> str:
        curves = []
        for row in recipe.rows:
            moments = moments_of(recipe, found, row)
            if moments:
                points = [(float(np.mean(one.seconds)), float(np.mean(one.score))) for one in moments]
                curves.append(Curve(row.name, points))
        return render_time_plot(recipe.title, curves)


protocol = OverTime()
