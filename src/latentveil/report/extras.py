"""What a report shows beside the audit's numbers: pictures, a map of features, the log of a training."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from latentveil.errors import InputError
from latentveil.results.record import Record


@dataclass(frozen=True, eq=False)
class FeatureMap(Record):
    """Two-dimensional pictures (N, 2) of the same clips before and after, and the class (N,) of each."""

    secret: str
    classes: list[int]
    names: list[str]
    before: list[list[float]]
    after: list[list[float]]

    def check(self) -> None:
        """Refuse points that are no pairs, or classes without a name."""
        points = [*self.before, *self.after]
        if len(self.before) != len(self.classes) or len(self.after) != len(self.classes):
            raise InputError(
                f"a feature map must have {len(self.classes)} points on either side, got others."
            )
        if any(len(point) != 2 or not all(map(math.isfinite, point)) for point in points):
            raise InputError("a feature map must have points of two finite numbers, got others.")
        if any(not 0 <= one < len(self.names) for one in self.classes):
            raise InputError(f"classes must be from 0 to {len(self.names) - 1}, got others.")


@dataclass(frozen=True)
class Extras:
    """What a report shows beside the audit's numbers, where it is known.

    ``training_log`` has one dictionary of loss terms per epoch; ``pictures`` maps captions to PNG images.
    """

    training_log: Sequence[dict[str, float]] = ()
    feature_map: FeatureMap | None = None
    pictures: dict[str, bytes] = field(default_factory=dict)

    def to_dict(self) -> dict[str, Any]:
        """For JSON; pictures become base64 text."""
        return {
            "training_log": list(self.training_log),
            "feature_map": None if self.feature_map is None else asdict(self.feature_map),
            "pictures": self.pictures_as_text(),
        }

    def pictures_as_text(self) -> dict[str, str]:
        """The pictures in base64, by their captions."""
        return {caption: base64.b64encode(png).decode() for caption, png in self.pictures.items()}

    @classmethod
    def from_dict(cls, values: dict[str, Any]) -> Extras:
        """What ``to_dict`` gave; anything else is refused."""
        if not isinstance(values, dict):
            raise InputError(f"extras must be a dictionary, got {type(values).__name__}.")
        found = _Stored.from_dict(values)
        if found.feature_map is not None:
            found.feature_map.check()
        try:
            pictures = {caption: base64.b64decode(text) for caption, text in found.pictures.items()}
        except ValueError as error:
            raise InputError(f"pictures must be base64 text, got: {error}.") from error
        return cls(training_log=found.training_log, feature_map=found.feature_map, pictures=pictures)


@dataclass(frozen=True, eq=False)
class _Stored(Record):
    """The content of extras.json."""

    training_log: list[dict[str, float]] = field(default_factory=list)
    feature_map: FeatureMap | None = None
    pictures: dict[str, str] = field(default_factory=dict)
