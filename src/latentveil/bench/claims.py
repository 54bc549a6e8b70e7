"""Claims of a publication, as comparisons of rows that would show them."""

from __future__ import annotations

from typing import Literal

from latentveil.bench.rows import Strict


class Comparison(Strict):
    """``row`` against ``than`` in ``column``: ``lower`` or ``higher`` by more than ``margin``, or ``within`` it.

    With ``relative`` the margin is a share of the score of ``than``, with ``above_guessing`` one of what that score is
    above guessing: even features that say nothing reach guessing. ``within`` means no worse than the margin.
    """

    column: str
    row: str
    is_: Literal["lower", "higher", "within"]
    than: str = "raw"
    margin: float = 0.0
    relative: bool = False
    above_guessing: bool = False

    model_config = Strict.model_config | {"alias_generator": lambda name: name.rstrip("_")}

    def in_words(self) -> str:
        by = f"{self.margin:.0%} of it" if self.relative else f"{self.margin:g}"
        if self.above_guessing:
            by = f"{self.margin:.0%} of what it is above guessing"
        if self.is_ == "within":
            return f"{self.column}: `{self.row}` loses at most {by} against `{self.than}`"
        return f"{self.column}: `{self.row}` {self.is_} than `{self.than}`" + (
            f" by more than {by}" if self.margin else ""
        )


class Claim(Strict):
    """What a publication says, where it says so, and the comparisons that would show it."""

    text: str
    source: str
    comparisons: tuple[Comparison, ...]
