"""The camera: world positions to pixels, following the first actor and shaking a little."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.actors.description import View


@dataclass(frozen=True)
class Camera:
    """A pinhole camera at (0, height, distance) that looks down by ``pitch``; ``focal`` and ``size`` in pixels.

    Pans and shakes are small turns, so they move the whole picture: ``shifts`` (T, 2) in x and y, whole pixels.
    """

    view: View
    size: int
    focal: float
    pitch: float
    shifts: np.ndarray

    @classmethod
    def create(cls, view: View, *, size: int, pelvis: np.ndarray, rng: np.random.Generator) -> Camera:
        """A camera for square pictures of ``size`` pixels that follows the positions ``pelvis`` (T, 3)."""
        reach = float(np.hypot(view.distance, view.height - view.target_height))
        pitch = float(np.arctan2(view.height - view.target_height, view.distance))
        still = cls(view, size, size * reach / view.extent, pitch, np.zeros((1, 2)))
        centre, _ = still.project(pelvis)
        pan = np.zeros_like(centre)
        pan[:, 0] = view.follow * _slow(centre[:, 0] - size / 2)
        shake = view.shake * size * _drift(rng, len(pelvis))
        return cls(view, size, still.focal, pitch, np.rint(pan + shake).astype(np.int64))

    def project(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Pixels (..., 2) and depths (...) in metres of points (..., 3), before pan and shake."""
        x, y = points[..., 0], points[..., 1] - self.view.height
        z = self.view.distance - points[..., 2]
        depth = np.maximum(z * np.cos(self.pitch) - y * np.sin(self.pitch), 0.3)
        up = y * np.cos(self.pitch) + z * np.sin(self.pitch)
        pixels = np.stack(
            [self.size / 2 + self.focal * x / depth, self.size / 2 - self.focal * up / depth], axis=-1
        )
        return pixels, depth

    def rays(self, x: np.ndarray, y: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """World directions (right, up, away from the camera) of pixels, each with length 1 along the view."""
        right = (x - self.size / 2) / self.focal
        up = (self.size / 2 - y) / self.focal
        cos, sin = np.cos(self.pitch), np.sin(self.pitch)
        return right, up * cos - sin, cos + up * sin


def _slow(values: np.ndarray) -> np.ndarray:
    """A straight line through ``values`` (T,): a calm hand follows without the sway of a walk."""
    if len(values) < 2:
        return values
    time = np.linspace(-1.0, 1.0, len(values))
    slope = (values * time).sum() / (time * time).sum()
    return values.mean() + slope * time


def _drift(rng: np.random.Generator, count: int) -> np.ndarray:
    """A hand's tremble (T, 2) of about unit size: a few slow sine waves."""
    time = np.arange(count)[:, None, None]
    rate, phase = rng.uniform(0.05, 0.45, (1, 2, 3)), rng.uniform(0, 2 * np.pi, (1, 2, 3))
    return np.sin(rate * time + phase).sum(axis=-1) / np.sqrt(1.5)
