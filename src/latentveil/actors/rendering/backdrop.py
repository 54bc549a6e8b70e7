"""All that stands still in a video: the scene, the objects in it, and those in front of everybody."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.cones import Cones, join_cones
from latentveil.actors.rendering.raster import (
    BLUE_GREEN_RED_BITS,
    CHANNEL_MASK,
    PAINT_MASK,
    Window,
    paint_shapes,
    project_cones,
    shade_table,
)
from latentveil.actors.rendering.scene import paint_scene
from latentveil.actors.rendering.shadow import cast_shadow
from latentveil.actors.rendering.things import OBJECTS, standing_object

SAMPLES = 2  # per pixel and axis


@dataclass(frozen=True)
class Backdrop:
    """Still pictures, larger than a frame by the camera's shifts, at the four half-pixel phases a shift can have.

    ``scene[y, x]`` (h, w, 3) uint8 lies behind the people; ``front[y, x]`` (h, w, 4) uint8, colour times coverage and
    255 - coverage, lies before them and is None when there is nothing.
    """

    window: Window
    size: int
    scene: dict[tuple[int, int], np.ndarray]
    front: dict[tuple[int, int], np.ndarray] | None

    @classmethod
    def create(cls, scene: str, camera: Camera, *, occluded: bool, rng: np.random.Generator) -> Backdrop:
        window = _reachable(camera)
        picture = paint_scene(scene, camera, window, rng)
        behind, before = _draw_objects(rng, camera, occluded=occluded)
        if behind:
            objects = join_cones(behind)
            picture *= (1.0 - cast_shadow(objects, camera, window))[..., None]
            samples = _samples(objects, camera, window)
            picture = np.where(samples[..., 3:] > 0, samples[..., :3], picture)
        front = None
        if before:
            samples = _samples(join_cones(before), camera, window)
            samples[..., 3] = 255.0 * (1.0 - samples[..., 3])
            front = _phases(samples)
        return cls(window, camera.size // SAMPLES, _phases(np.clip(picture, 0, 255)), front)

    def behind(self, shift: np.ndarray) -> np.ndarray:
        """The scene (H, W, 3) as the camera sees it when moved by ``shift`` (x, y)."""
        return self._crop(self.scene, shift)

    def cover(self, frame: np.ndarray, shift: np.ndarray) -> None:
        """Draw what stands in front onto a frame (H, W, 3), in place."""
        if self.front is not None:
            layer = self._crop(self.front, shift).astype(np.uint16)
            frame[:] = np.minimum(layer[..., :3] + frame * layer[..., 3:] // 255, 255)

    def _crop(self, phases: dict[tuple[int, int], np.ndarray], shift: np.ndarray) -> np.ndarray:
        column, row = int(shift[0]) - self.window.left, int(shift[1]) - self.window.top
        picture = phases[row % SAMPLES, column % SAMPLES]
        top, left = row // SAMPLES, column // SAMPLES
        return picture[top : top + self.size, left : left + self.size]


def _reachable(camera: Camera) -> Window:
    """The part of the picture plane, in samples, that any frame shows."""
    (left, top), (right, bottom) = camera.shifts.min(axis=0), camera.shifts.max(axis=0)
    return Window(int(top), int(bottom) + camera.size + 2, int(left), int(right) + camera.size + 2)


def _draw_objects(
    rng: np.random.Generator, camera: Camera, *, occluded: bool
) -> tuple[list[Cones], list[Cones]]:
    """Up to two objects behind the people, and one in front if ``occluded``; spread with the width of the view."""
    kinds, spread = list(OBJECTS), camera.view.extent / 2.3
    behind = []
    for _ in range(int(rng.integers(0, 3))):
        place = (float(rng.choice([-1, 1]) * rng.uniform(0.55, 1.1) * spread), float(rng.uniform(-1.3, -0.8)))
        behind.append(standing_object(str(rng.choice(kinds)), place, rng))
    if not occluded:
        return behind, []
    place = (
        float(rng.choice([-1, 1]) * rng.uniform(0.1, 0.55) * spread),
        float(rng.uniform(1.1, 1.5) * spread),
    )
    return behind, [
        standing_object(str(rng.choice(["bollard", "plant", "logs", "bench", "barrel"])), place, rng)
    ]


def _samples(cones: Cones, camera: Camera, window: Window) -> np.ndarray:
    """Still cones as (h, w, 4) float32: colour in 0..255 and coverage 0 or 1."""
    shapes = project_cones(cones, camera, np.zeros((1, 2)))
    packed = (
        paint_shapes(
            shapes, window=window, num_frames=1, focal=camera.focal, shades=shade_table(cones.colours)
        )[0]
        & PAINT_MASK
    )
    channels = [(packed >> bit) & CHANNEL_MASK for bit in reversed(BLUE_GREEN_RED_BITS)]
    return np.stack([*channels, packed > 0], axis=-1).astype(np.float32)


def _phases(picture: np.ndarray) -> dict[tuple[int, int], np.ndarray]:
    """The picture (h, w, C) averaged over 2 x 2 samples, starting at each of the four samples of a pixel."""
    rows, columns = (picture.shape[0] - 1) // SAMPLES, (picture.shape[1] - 1) // SAMPLES
    phases = {}
    for y in range(SAMPLES):
        for x in range(SAMPLES):
            part = picture[y : y + SAMPLES * rows, x : x + SAMPLES * columns]
            total = part[::2, ::2] + part[1::2, ::2] + part[::2, 1::2] + part[1::2, 1::2]
            phases[y, x] = (total * np.float32(0.25) + np.float32(0.5)).astype(np.uint8)
    return phases
