"""Round cones: the one shape that people and things are built of, and the list that collects them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

Colour = tuple[float, float, float]


def scaled(colour: Colour, factor: float) -> Colour:
    """A colour made darker or lighter."""
    red, green, blue = colour
    return (factor * red, factor * green, factor * blue)


@dataclass(frozen=True)
class Cones:
    """Round cones over time, as arrays ready to be projected.

    Shapes: ``start``, ``end`` (T, P, 3) in metres, ``radii`` (P, 2) at both ends, ``colours`` (P, 2, 3) RGB in 0..255:
    the second colour begins at the share ``split`` (P,) of the way; ``shadow`` (P,) marks those that cast one.
    """

    start: np.ndarray
    end: np.ndarray
    radii: np.ndarray
    colours: np.ndarray
    split: np.ndarray
    shadow: np.ndarray

    def at(self, frames: np.ndarray) -> Cones:
        """The same cones at some of the frames."""
        return Cones(self.start[frames], self.end[frames], self.radii, self.colours, self.split, self.shadow)


@dataclass
class ConeList:
    """Collects cones one by one."""

    rows: list[tuple] = field(default_factory=list)

    def add(
        self,
        start: np.ndarray,
        end: np.ndarray,
        *,
        radii: tuple[float, float],
        colour: Colour | tuple[Colour, Colour, float],
        shadow: bool = False,
    ) -> None:
        """Add a cone between positions (T, 3); ``colour`` is one, or two and the share where the second begins."""
        first, second, split = colour if isinstance(colour[0], tuple) else (colour, colour, 1.0)
        self.rows.append((start, end, radii, (first, second), split, shadow))

    def build(self) -> Cones:
        start, end, radii, colours, split, shadow = zip(*self.rows)
        return Cones(
            start=np.stack(np.broadcast_arrays(*start), axis=1),
            end=np.stack(np.broadcast_arrays(*end), axis=1),
            radii=np.array(radii),
            colours=np.array(colours, dtype=np.float64),
            split=np.array(split),
            shadow=np.array(shadow),
        )


def join_cones(parts: Sequence[Cones]) -> Cones:
    """All cones of ``parts``, which have the same number of frames."""
    return Cones(
        start=np.concatenate([part.start for part in parts], axis=1),
        end=np.concatenate([part.end for part in parts], axis=1),
        radii=np.concatenate([part.radii for part in parts]),
        colours=np.concatenate([part.colours for part in parts]),
        split=np.concatenate([part.split for part in parts]),
        shadow=np.concatenate([part.shadow for part in parts]),
    )
