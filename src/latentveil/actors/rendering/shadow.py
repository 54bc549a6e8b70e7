"""Shadows on the floor: cones laid flat along the light."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.cones import Cones
from latentveil.actors.rendering.raster import LIGHT, Shapes, Window, paint_shadows, project_cones

STRENGTH = 0.5


def cast_shadow(cones: Cones, camera: Camera, window: Window) -> np.ndarray:
    """How much darker (h, w), 0 to STRENGTH, still cones make the floor."""
    shapes, stretch = project_shadow(cones, camera, np.zeros((1, 2)))
    return STRENGTH * paint_shadows(shapes, window=window, num_frames=1, stretch=stretch)[0]


def project_shadow(cones: Cones, camera: Camera, shifts: np.ndarray) -> tuple[Shapes, float]:
    """The shadows on the picture and how much the floor is squeezed in height there."""
    casting = Cones(
        start=_on_floor(cones.start[:, cones.shadow]),
        end=_on_floor(cones.end[:, cones.shadow]),
        radii=np.maximum(1.15 * cones.radii[cones.shadow], 0.05),
        colours=cones.colours[cones.shadow],
        split=cones.split[cones.shadow],
        shadow=cones.shadow[cones.shadow],
    )
    squeeze = camera.view.height / np.hypot(camera.view.height, camera.view.distance)
    return project_cones(casting, camera, shifts), float(1.0 / squeeze)


def smaller(camera: Camera, factor: int) -> Camera:
    """The same camera with ``factor`` times fewer pixels on a side."""
    return replace(
        camera, size=camera.size // factor, focal=camera.focal / factor, shifts=camera.shifts / factor
    )


def _on_floor(points: np.ndarray) -> np.ndarray:
    height = np.maximum(points[..., 1:2], 0.0)
    return points * (1, 0, 1) - LIGHT / LIGHT[1] * height * (1, 0, 1)
