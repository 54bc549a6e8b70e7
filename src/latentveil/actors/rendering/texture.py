"""Random patterns on planes: smooth noise, tiles, rectangles and mixes of colours."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.actors.rendering.cones import Colour

LATTICE = 64


@dataclass(frozen=True)
class Texture:
    """A seeded source of patterns; positions are float32 arrays (N,) of one length, colours (N, 3)."""

    rng: np.random.Generator
    lattice: np.ndarray

    @classmethod
    def create(cls, rng: np.random.Generator) -> Texture:
        return cls(rng, rng.random((LATTICE, LATTICE), dtype=np.float32))

    def noise(self, u: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Smooth noise (N,) in [0, 1] with features of about one unit."""
        column, row = np.floor(u).astype(np.int32), np.floor(v).astype(np.int32)
        right, down = _ease(u - column), _ease(v - row)
        upper = _blend(self.cell(column, row), self.cell(column + 1, row), right)
        lower = _blend(self.cell(column, row + 1), self.cell(column + 1, row + 1), right)
        return _blend(upper, lower, down)

    def cell(self, column: np.ndarray, row: np.ndarray) -> np.ndarray:
        """One random number (N,) in [0, 1] per integer cell."""
        return self.lattice[row & (LATTICE - 1), column & (LATTICE - 1)]

    def tiles(
        self, u: np.ndarray, v: np.ndarray, *, joint: float, offset: float = 0.0
    ) -> tuple[np.ndarray, np.ndarray]:
        """Unit tiles: a random tone (N,) per tile and 1 in the joints; each row is moved on by ``offset``."""
        row = np.floor(v)
        u = u + offset * row
        column = np.floor(u)
        in_joint = (u - column < joint) | (v - row < joint)
        return self.cell(column.astype(np.int32), row.astype(np.int32)), in_joint.astype(np.float32)

    def pick(self, colours: tuple[Colour, ...]) -> np.ndarray:
        """One of the colours, a little changed, as (3,)."""
        base = np.asarray(colours[int(self.rng.integers(len(colours)))], dtype=np.float32)
        return base * self.rng.uniform(0.93, 1.07, 3).astype(np.float32)


def paint(colour: np.ndarray | Colour, tone: np.ndarray) -> np.ndarray:
    """A colour (3,) times a brightness (N,)."""
    return tone[:, None] * np.asarray(colour, dtype=np.float32)


def mix(first: np.ndarray, second: np.ndarray | Colour, share: np.ndarray) -> np.ndarray:
    """``first`` (N, 3) where ``share`` (N,) is 0, ``second`` where it is 1."""
    share = share.astype(np.float32)[:, None]
    return first + (np.asarray(second, dtype=np.float32) - first) * share


def rectangle(
    x: np.ndarray, y: np.ndarray, centre: tuple[float, float], extent: tuple[float, float]
) -> np.ndarray:
    """True (N,) inside a rectangle of width and height ``extent``."""
    return (np.abs(x - centre[0]) < extent[0] / 2) & (np.abs(y - centre[1]) < extent[1] / 2)


def _ease(x: np.ndarray) -> np.ndarray:
    return x * x * (3 - 2 * x)


def _blend(first: np.ndarray, second: np.ndarray, share: np.ndarray) -> np.ndarray:
    return first + (second - first) * share
