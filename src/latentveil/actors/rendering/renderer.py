"""The renderer: a video's description to frames."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.actors.description import Video
from latentveil.actors.motion.body import Skeleton
from latentveil.actors.motion.choreography import perform
from latentveil.actors.rendering.backdrop import SAMPLES, Backdrop
from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.cones import Cones, join_cones
from latentveil.actors.rendering.figure import dress
from latentveil.actors.rendering.raster import (
    BLUE_GREEN_RED_BITS,
    CHANNEL_MASK,
    COVERAGE_BIT,
    PAINT_MASK,
    paint_shadows,
    paint_shapes,
    project_cones,
    shade_table,
    window_of,
)
from latentveil.actors.rendering.shadow import STRENGTH, project_shadow, smaller
from latentveil.actors.rendering.things import things_of
from latentveil.errors import InputError

FRAMES_AT_ONCE = 16
SMALLEST, LARGEST = 16, 2048
NOISE_TILE = 32

_CAMERA, _BACKDROP, _NOISE = range(3)  # independent streams of random numbers of one video


def render(video: Video, size: int, *, frames: Sequence[int] | None = None) -> np.ndarray:
    """Render a video as uint8 (T, size, size, 3); the same description gives the same bytes.

    ``frames`` picks some frames by index; they equal the same frames of the whole video.
    """
    if not SMALLEST <= size <= LARGEST:
        raise InputError(f"size must be from {SMALLEST} to {LARGEST} pixels, got {size}.")
    chosen = np.arange(video.num_frames) if frames is None else np.asarray(frames, dtype=np.int64)
    if len(chosen) == 0 or chosen.min() < 0 or chosen.max() >= video.num_frames:
        raise InputError(f"frames must be indices from 0 to {video.num_frames - 1}, got {frames}.")
    skeletons, camera = set_stage(video, size)
    parts: list[Cones] = []
    for actor, skeleton in zip(video.actors, skeletons):
        parts += [dress(skeleton, actor.person, actor.outfit), *things_of(actor, skeleton, fps=video.fps)]
    cones = join_cones(parts)
    backdrop = Backdrop.create(video.scene, camera, occluded=video.occluded, rng=_stream(video, _BACKDROP))
    pictures = [
        _render_frames(cones, camera, backdrop, chosen[first : first + FRAMES_AT_ONCE])
        for first in range(0, len(chosen), FRAMES_AT_ONCE)
    ]
    return _add_noise(np.concatenate(pictures), chosen, video)


def set_stage(video: Video, size: int) -> tuple[list[Skeleton], Camera]:
    """The bodies of the actors over time, and the camera, which has ``SAMPLES`` samples a pixel."""
    skeletons = [perform(actor, num_frames=video.num_frames, fps=video.fps) for actor in video.actors]
    camera = Camera.create(
        video.view, size=size * SAMPLES, pelvis=skeletons[0].joints["pelvis"], rng=_stream(video, _CAMERA)
    )
    return skeletons, camera


def _render_frames(cones: Cones, camera: Camera, backdrop: Backdrop, frames: np.ndarray) -> np.ndarray:
    """Some frames, without noise."""
    cones, shifts = cones.at(frames), camera.shifts[frames]
    pictures = np.stack([backdrop.behind(shift) for shift in shifts])
    _draw_shadows(pictures, cones, smaller(camera, SAMPLES), shifts / SAMPLES)
    _draw_shapes(pictures, cones, camera, shifts)
    for picture, shift in zip(pictures, shifts):
        backdrop.cover(picture, shift)
    return pictures


def _draw_shadows(pictures: np.ndarray, cones: Cones, camera: Camera, shifts: np.ndarray) -> None:
    shapes, stretch = project_shadow(cones, camera, shifts)
    window = window_of(shapes, camera.size, stretch=stretch)
    darkness = paint_shadows(shapes, window=window, num_frames=len(pictures), stretch=stretch)
    kept = (256.0 - 256.0 * STRENGTH * darkness).astype(np.uint16)[..., None]
    region = pictures[:, window.top : window.bottom, window.left : window.right]
    region[:] = (region * kept) >> 8


def _draw_shapes(pictures: np.ndarray, cones: Cones, camera: Camera, shifts: np.ndarray) -> None:
    shapes = project_cones(cones, camera, shifts)
    window = window_of(shapes, camera.size)
    packed = paint_shapes(
        shapes, window=window, num_frames=len(pictures), focal=camera.focal, shades=shade_table(cones.colours)
    )
    packed &= PAINT_MASK
    total = packed[:, ::2, ::2] + packed[:, 1::2, ::2] + packed[:, ::2, 1::2] + packed[:, 1::2, 1::2]
    missing = (SAMPLES * SAMPLES - (total >> COVERAGE_BIT)).astype(np.uint16)
    rows, columns = (slice(window.top // 2, window.bottom // 2), slice(window.left // 2, window.right // 2))
    region = pictures[:, rows, columns]
    for channel, bit in enumerate(reversed(BLUE_GREEN_RED_BITS)):
        colour = ((total >> bit) & CHANNEL_MASK).astype(np.uint16)
        region[..., channel] = (region[..., channel] * missing + colour + 2) >> 2


def _add_noise(pictures: np.ndarray, frames: np.ndarray, video: Video) -> np.ndarray:
    """Sensor noise: one random tile, moved to another place in each frame."""
    rng, size = _stream(video, _NOISE), pictures.shape[1]
    strength = rng.uniform(1.5, 5.0)
    tile = np.rint(
        strength * rng.standard_normal((size + NOISE_TILE, size + NOISE_TILE, 3), dtype=np.float32)
    )
    tile = tile.astype(np.int16)
    places = rng.integers(0, NOISE_TILE, (video.num_frames, 2))
    for picture, (top, left) in zip(pictures, places[frames]):
        noisy = picture + tile[top : top + size, left : left + size]
        picture[:] = np.clip(noisy, 0, 255, out=noisy)
    return pictures


def _stream(video: Video, index: int) -> np.random.Generator:
    return np.random.default_rng([video.seed, index])
