"""Round cones to pixels: shaded, with hidden surfaces removed, for many frames at once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.cones import Cones

# One 64-bit number per sample: nearness | coverage (3 bits) | red | green | blue (10 bits each). The largest number is
# the nearest surface, and the colours and coverage of 2 x 2 samples add up without running into each other.
NEARNESS_BIT, COVERAGE_BIT = 33, 30
BLUE_GREEN_RED_BITS = (0, 10, 20)
CHANNEL_MASK = (1 << 10) - 1
PAINT_MASK = (1 << NEARNESS_BIT) - 1
DEPTH_STEPS_PER_METRE = 1 << 15
FAR_METRES = 200.0

NUM_SHADES = 64
BOX_STEP = 8
PIXELS_AT_ONCE = 1 << 15

# Towards the light, from the camera's point of view: right, up, out of the picture.
LIGHT = np.array([-0.38, 0.78, 0.5], dtype=np.float32)


@dataclass(frozen=True)
class Window:
    """A rectangle of the picture in pixels: rows top..bottom, columns left..right."""

    top: int
    bottom: int
    left: int
    right: int

    @property
    def shape(self) -> tuple[int, int]:
        return self.bottom - self.top, self.right - self.left


@dataclass(frozen=True)
class Shapes:
    """Projected cones, one row per cone and frame: pixels, radii in pixels, depths in metres; all (M,) or (M, 2)."""

    frame: np.ndarray
    start: np.ndarray
    way: np.ndarray
    radius: np.ndarray
    widening: np.ndarray
    depth: np.ndarray
    deepening: np.ndarray
    paint: np.ndarray
    split: np.ndarray

    def rows(self, index: np.ndarray) -> Shapes:
        return Shapes(**{name: values[index] for name, values in vars(self).items()})

    def box(self, stretch: float = 1.0) -> tuple[np.ndarray, np.ndarray]:
        """The corners (M, 2) of the bounding boxes: first pixel and the one after the last."""
        end, radius = self.start + self.way, np.stack([self.radius, self.radius + self.widening], axis=-1)
        margin = radius[..., None] * np.array([1.0, 1.0 / stretch])
        low = np.minimum(self.start - margin[:, 0], end - margin[:, 1])
        high = np.maximum(self.start + margin[:, 0], end + margin[:, 1])
        return np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)


def project_cones(cones: Cones, camera: Camera, shifts: np.ndarray) -> Shapes:
    """The cones on the picture, frame by frame, moved by the camera's ``shifts`` (T, 2)."""
    num_frames, num_cones = cones.start.shape[:2]
    start, start_depth = camera.project(cones.start)
    end, end_depth = camera.project(cones.end)
    radius = cones.radii[:, 0] * camera.focal / start_depth
    widening = cones.radii[:, 1] * camera.focal / end_depth - radius
    return Shapes(
        frame=np.repeat(np.arange(num_frames), num_cones),
        start=_flat(start - shifts[:, None]),
        way=_flat(end - start),
        radius=_flat(radius),
        widening=_flat(widening),
        depth=_flat(start_depth),
        deepening=_flat(end_depth - start_depth),
        paint=np.tile(np.arange(num_cones), num_frames),
        split=np.tile(cones.split.astype(np.float32), num_frames),
    )


def window_of(shapes: Shapes, size: int, *, stretch: float = 1.0) -> Window:
    """The part of the picture, with even edges, that holds all shapes; empty if none is in sight."""
    low, high = shapes.box(stretch)
    left, top = np.clip(low.min(axis=0) // 2 * 2, 0, size)
    right, bottom = np.clip(-(-high.max(axis=0) // 2) * 2, (left, top), size)
    return Window(int(top), int(bottom), int(left), int(right))


def shade_table(colours: np.ndarray) -> np.ndarray:
    """Packed colours (P, 2, NUM_SHADES) from dark to light for colours (P, 2, 3); the dark is a little cooler."""
    shade = np.linspace(0.0, 1.0, NUM_SHADES)[:, None]
    gain = 0.3 + 0.92 * shade + np.array([0.0, 0.01, 0.06]) * (1.0 - shade)  # (NUM_SHADES, 3)
    gloss = 30.0 * np.clip((shade - 0.88) / 0.12, 0.0, 1.0) ** 2
    red, green, blue = np.moveaxis(
        np.clip(colours[:, :, None] * gain + gloss, 0, 255).astype(np.int64), -1, 0
    )
    return (1 << COVERAGE_BIT) | (red << BLUE_GREEN_RED_BITS[2]) | (green << BLUE_GREEN_RED_BITS[1]) | blue


def paint_shapes(
    shapes: Shapes, *, window: Window, num_frames: int, focal: float, shades: np.ndarray
) -> np.ndarray:
    """Samples (T, h, w) of a window as packed numbers, 0 where nothing is; ``shades`` come from ``shade_table``."""
    canvas = _Canvas(window, num_frames, np.int64)
    flat_shades = shades.reshape(-1)
    per_metre = np.float32(DEPTH_STEPS_PER_METRE)
    for rows, hits in _hits(shapes, canvas):
        bulge = np.sqrt(hits.rest)
        facing = bulge / hits.radius
        light = (LIGHT[0] * hits.x - LIGHT[1] * hits.y) / hits.radius + LIGHT[2] * facing
        shade = ((0.58 + 0.42 * light) * (0.72 + 0.28 * facing) * np.float32(NUM_SHADES - 1)).astype(np.int32)
        np.clip(shade, 0, NUM_SHADES - 1, out=shade)
        depth = rows.depth[hits.row] + hits.t * rows.deepening[hits.row]
        depth -= bulge * depth * np.float32(1.0 / focal)
        nearness = ((FAR_METRES - depth) * per_metre).astype(np.int64)
        colour = 2 * rows.paint[hits.row] + (hits.t > rows.split[hits.row])
        paint = flat_shades[colour * NUM_SHADES + shade]
        np.maximum.at(canvas.samples, hits.place, (nearness << NEARNESS_BIT) | paint)
    return canvas.inner


def paint_shadows(shapes: Shapes, *, window: Window, num_frames: int, stretch: float) -> np.ndarray:
    """Darkness (T, h, w) in [0, 1] of flat soft shadows; ``stretch`` is how much the floor is squeezed in height."""
    canvas = _Canvas(window, num_frames, np.float32)
    for _, hits in _hits(shapes, canvas, stretch=stretch):
        darkness = np.minimum(1.6 * hits.rest / (hits.radius * hits.radius), np.float32(1.0))
        np.maximum.at(canvas.samples, hits.place, darkness)
    return canvas.inner


class _Canvas:
    """A flat buffer for a window in all frames, with a border that takes up boxes rounded to BOX_STEP."""

    def __init__(self, window: Window, num_frames: int, dtype: type) -> None:
        self.window = window
        self.shape = (num_frames, window.shape[0] + BOX_STEP, window.shape[1] + BOX_STEP)
        self.samples: np.ndarray = np.zeros(self.shape[0] * self.shape[1] * self.shape[2], dtype=dtype)

    @property
    def inner(self) -> np.ndarray:
        height, width = self.window.shape
        return self.samples.reshape(self.shape)[:, :height, :width]


@dataclass(frozen=True)
class _Hits:
    """The samples inside some shapes, all (N,): row of the shape, share ``t`` of its way, offset from its axis.

    ``rest`` is the radius squared minus the distance to the axis squared, ``place`` the index in the canvas.
    """

    row: np.ndarray
    t: np.ndarray
    x: np.ndarray
    y: np.ndarray
    radius: np.ndarray
    rest: np.ndarray
    place: np.ndarray


def _hits(shapes: Shapes, canvas: _Canvas, *, stretch: float = 1.0) -> Iterator[tuple[Shapes, _Hits]]:
    """Yield batches of shapes with the samples they cover; shapes with boxes of the same size go together."""
    window = canvas.window
    low, high = shapes.box(stretch)
    low = np.maximum(low, (window.left, window.top))
    extent = np.minimum(high, (window.right, window.bottom)) - low
    visible = np.flatnonzero((extent > 0).all(axis=1))
    extent = -(-extent[visible] // BOX_STEP) * BOX_STEP
    sizes, member = np.unique(extent, axis=0, return_inverse=True)
    for index, (width, height) in enumerate(sizes):
        rows = visible[member == index]
        step = max(1, PIXELS_AT_ONCE // int(width * height))
        for first in range(0, len(rows), step):
            batch = rows[first : first + step]
            chosen = shapes.rows(batch)
            yield (
                chosen,
                _hits_in_boxes(chosen, low[batch], (int(height), int(width)), canvas=canvas, stretch=stretch),
            )


def _hits_in_boxes(
    shapes: Shapes, corner: np.ndarray, box: tuple[int, int], *, canvas: _Canvas, stretch: float
) -> _Hits:
    """The samples of shapes (M,) in boxes of one size (height, width) at ``corner`` (M, 2)."""
    height, width = box
    squeeze = np.array([1.0, stretch], dtype=np.float32)
    way = (shapes.way * squeeze)[:, :, None, None]  # (M, 2, 1, 1)
    length = np.maximum((way * way).sum(axis=1), np.float32(1e-3))
    offset = (corner + 0.5 - shapes.start).astype(np.float32)
    dx = (offset[:, :1] + np.arange(width, dtype=np.float32))[:, None, :]  # (M, 1, w)
    dy = ((offset[:, 1:] + np.arange(height, dtype=np.float32)) * squeeze[1])[:, :, None]  # (M, h, 1)
    t = dx * (way[:, 0] / length) + dy * (way[:, 1] / length)  # (M, h, w)
    np.clip(t, 0.0, 1.0, out=t)
    x, y = dx - t * way[:, 0], dy - t * way[:, 1]
    radius = shapes.radius[:, None, None] + t * shapes.widening[:, None, None]
    rest = radius * radius - x * x - y * y
    inside = rest > 0
    flat = np.flatnonzero(inside)
    row = np.repeat(np.arange(len(corner)), np.count_nonzero(inside, axis=(1, 2)))
    _, rows_high, rows_wide = canvas.shape
    in_box = (np.arange(height)[:, None] * rows_wide + np.arange(width)).ravel()
    column, line = (corner - (canvas.window.left, canvas.window.top)).T
    top_left = (shapes.frame * rows_high + line) * rows_wide + column
    place = top_left[row] + in_box[flat - row * (height * width)]
    t, x, y, radius, rest = (values.ravel()[flat] for values in (t, x, y, radius, rest))
    return _Hits(row, t, x, y, radius, rest, place)


def _flat(values: np.ndarray) -> np.ndarray:
    return values.reshape(-1, *values.shape[2:]).astype(np.float32)  # (T * P, ...)
