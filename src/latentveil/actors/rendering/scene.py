"""Places: for each scene a floor and what stands or lies behind it, painted from the camera's point of view."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.raster import Window
from latentveil.actors.rendering.texture import Texture, mix, paint, rectangle

Pattern = Callable[[np.ndarray, np.ndarray, Texture], np.ndarray]


@dataclass(frozen=True)
class Place:
    """A floor pattern over (x, z), a wall pattern over (x, y), and how many metres behind the origin the wall is."""

    floor: Pattern
    wall: Pattern
    depth: float
    outdoors: bool = False


def paint_scene(name: str, camera: Camera, window: Window, rng: np.random.Generator) -> np.ndarray:
    """The empty scene as RGB (h, w, 3) float32 in 0..255 for a window of the picture, which may exceed it."""
    place, texture = PLACES[name], Texture.create(rng)
    y, x = np.mgrid[window.top : window.bottom, window.left : window.right].astype(np.float32) + np.float32(
        0.5
    )
    right, up, away = (ray.ravel() for ray in camera.rays(x, y))
    depth = place.depth * float(rng.uniform(0.85, 1.2)) + camera.view.room
    wall_reach = np.float32(camera.view.distance + depth) / away
    floor_reach = np.where(
        up < -1e-4, -np.float32(camera.view.height) / np.minimum(up, -1e-4), np.float32(1e6)
    )
    on_floor = floor_reach < wall_reach
    reach = np.minimum(floor_reach, wall_reach)
    across, above = right * reach, camera.view.height + up * reach
    behind = away * reach - camera.view.distance
    shift = float(rng.uniform(0, 20))
    picture = np.empty((x.size, 3), dtype=np.float32)
    picture[on_floor] = place.floor(across[on_floor] + shift, behind[on_floor], texture)
    picture[~on_floor] = place.wall(across[~on_floor], above[~on_floor], texture)
    if not place.outdoors:
        corner = np.where(on_floor, depth - behind, above)
        picture *= (1.0 - 0.35 * np.exp(-np.maximum(corner, 0) / 0.25))[:, None]
    return _grade(picture.reshape(*x.shape, 3), rng)


def _grade(picture: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Darker edges and a light that is a little warm or cold."""
    height, width = picture.shape[:2]
    y, x = np.linspace(-1, 1, height)[:, None], np.linspace(-1, 1, width)[None]
    edges = 1.0 - 0.16 * (x * x + y * y)
    warmth = rng.uniform(-0.05, 0.05)
    return picture * (edges[..., None] * np.array([1 + warmth, 1.0, 1 - warmth])).astype(np.float32)


def _studio_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    glow = 1.0 - 0.05 * np.clip(z, -3, 4) + 0.03 * texture.noise(x * 3, z * 3)
    return paint(_studio_tint(texture), glow)


def _studio_wall(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    spot = 0.88 + 0.22 * np.exp(-((x * x) / 6 + (y - 1.4) ** 2 / 3))
    return paint(_studio_tint(texture), spot + 0.02 * texture.noise(x * 2, y * 2))


def _studio_tint(texture: Texture) -> np.ndarray:
    """One tint for floor and wall, from the first cell of the lattice."""
    tints = ((206, 204, 198), (178, 194, 206), (214, 196, 176), (186, 200, 178), (196, 180, 196))
    return np.asarray(tints[int(texture.lattice[0, 0] * len(tints))], dtype=np.float32)


def _wood_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    wood = texture.pick(((176, 126, 82), (146, 98, 62), (198, 158, 112)))
    tone, joint = texture.tiles(x / 1.3, z / 0.16, joint=0.03, offset=0.37)
    grain = texture.noise(x * 2.5, z * 38)
    return paint(wood, 0.82 + 0.2 * tone + 0.14 * grain - 0.3 * joint)


def _room_wall(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    colour = texture.pick(((206, 190, 160), (158, 180, 172), (196, 164, 148), (168, 178, 198)))
    stripe = (np.floor(x / 0.18) % 2) * 0.035
    wall = paint(colour, 0.94 + stripe + 0.04 * texture.noise(x * 4, y * 4))
    for centre in (-1.9, 0.45, 2.4):
        middle = centre + float(texture.rng.uniform(-0.3, 0.3))
        size = texture.rng.uniform((0.4, 0.4), (0.9, 0.7))
        wall = mix(wall, (74, 52, 38), rectangle(x, y, (middle, 1.65), (size[0] + 0.1, size[1] + 0.1)))
        picture = paint(
            texture.pick(((86, 130, 160), (190, 120, 80), (120, 150, 90))), 0.5 + texture.noise(x * 7, y * 7)
        )
        wall = np.where(rectangle(x, y, (middle, 1.65), tuple(size))[:, None], picture, wall)
    return mix(wall, (232, 226, 214), y < 0.12)


def _carpet_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    colour = texture.pick(((110, 120, 134), (126, 122, 116), (92, 112, 108)))
    tone, joint = texture.tiles(x / 0.6, z / 0.6, joint=0.025)
    return paint(colour, 0.84 + 0.16 * tone + 0.14 * texture.noise(x * 30, z * 30) - 0.08 * joint)


def _office_wall(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    wall = paint(
        texture.pick(((222, 222, 216), (204, 212, 216), (220, 210, 196))), 0.95 + 0.03 * texture.noise(x, y)
    )
    left = float(texture.rng.uniform(-2.2, -0.8))
    wall = mix(wall, (120, 122, 126), rectangle(x, y, (left, 1.6), (1.7, 1.05)))
    wall = mix(wall, (244, 246, 246), rectangle(x, y, (left, 1.6), (1.6, 0.95)))
    scribble = (texture.noise(x * 9, y * 22) > 0.72) & rectangle(x, y, (left, 1.62), (1.2, 0.6))
    wall = mix(wall, (70, 96, 160), scribble * 0.8)
    right = float(texture.rng.uniform(0.9, 2.0))
    shelf = rectangle(x, y, (right, 0.85), (1.5, 1.7))
    book = texture.cell(np.floor(x * 16).astype(np.int32), np.floor(y / 0.34).astype(np.int32))
    books = np.stack([70 + 150 * book, 60 + 120 * (book * 7 % 1), 70 + 120 * (book * 13 % 1)], axis=-1)
    wall = np.where(shelf[:, None], books.astype(np.float32), wall)
    return mix(wall, (120, 92, 64), shelf & ((y % 0.34) < 0.06))


def _mat_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    colour = texture.pick(((186, 132, 84), (92, 130, 150), (160, 112, 84)))
    floor = paint(colour, 0.92 + 0.1 * texture.noise(x * 1.5, z * 14))
    for line, paint_colour in ((-0.9, (236, 232, 220)), (0.8, (200, 64, 56)), (1.25, (236, 232, 220))):
        floor = mix(floor, paint_colour, (np.abs(z - line) < 0.035) * 0.9)
    return floor


def _gym_wall(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    wall = paint(texture.pick(((214, 212, 200), (202, 208, 212))), 0.92 + 0.05 * texture.noise(x * 2, y * 2))
    pads = texture.pick(((50, 92, 160), (178, 58, 54), (52, 122, 96)))
    seam = (np.abs(x / 1.1 - np.rint(x / 1.1)) < 0.025) * 0.25
    wall = np.where((y < 1.35)[:, None], paint(pads, 0.9 - seam + 0.1 * texture.noise(x * 2, y * 3)), wall)
    left = float(texture.rng.uniform(-2.6, 1.0))
    bars = rectangle(x, y, (left, 1.4), (1.5, 2.8)) & ((y % 0.24) < 0.09)
    wall = mix(wall, (198, 152, 94), bars)
    return mix(wall, (172, 124, 72), (np.abs(np.abs(x - left) - 0.75) < 0.045) & (y < 2.8))


def _pavement_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    colour = texture.pick(((158, 154, 148), (142, 140, 142), (166, 152, 138)))
    tone, joint = texture.tiles(x / 0.75, z / 0.5, joint=0.035, offset=0.5)
    return paint(colour, 0.84 + 0.14 * tone + 0.12 * texture.noise(x * 12, z * 12) - 0.28 * joint)


def _brick_wall(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    tone, joint = texture.tiles(x / 0.3, y / 0.1, joint=0.09, offset=0.5)
    brick = texture.pick(((158, 84, 64), (176, 118, 84), (134, 92, 84)))
    wall = mix(paint(brick, 0.78 + 0.34 * tone), (186, 176, 164), joint * 0.7)
    for centre in (-2.1, 2.2):
        middle = centre + float(texture.rng.uniform(-0.5, 0.5))
        wall = mix(wall, (222, 216, 204), rectangle(x, y, (middle, 1.7), (1.15, 1.45)))
        glass = paint((96, 124, 144), 0.75 + 0.5 * texture.noise(x * 1.5 + y, y * 1.5))
        panes = rectangle(x, y, (middle, 1.7), (0.95, 1.25)) & (np.abs(x - middle) > 0.03)
        wall = np.where(panes[:, None], glass, wall)
    door = float(texture.rng.uniform(-0.6, 0.6))
    wall = mix(wall, (210, 204, 190), rectangle(x, y, (door, 1.05), (1.15, 2.25)))
    return mix(
        wall,
        texture.pick(((48, 84, 74), (110, 50, 48), (52, 66, 104))),
        rectangle(x, y, (door, 1.0), (0.95, 2.1)),
    )


def _grass_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    colour = texture.pick(((116, 154, 74), (136, 160, 82), (100, 144, 80)))
    tone = 0.72 + 0.28 * texture.noise(x * 0.8, z * 0.8) + 0.3 * texture.noise(x * 26, z * 12)
    flowers = (texture.noise(x * 7 + 13, z * 5) > 0.88) & (z > 0.3)
    return mix(paint(colour, tone), texture.pick(((238, 222, 120), (240, 236, 232))), flowers * 0.7)


def _trees(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    sky = _sky(x, y, texture, low=2.0, high=9.0)
    leaves = texture.noise(x * 1.6, y * 1.6) * 0.6 + texture.noise(x * 7, y * 7) * 0.5
    far = 2.0 + 1.5 * texture.noise(x * 0.35 + 9, np.full_like(x, 0.5)) + 0.6 * leaves
    near = 0.6 + 1.3 * texture.noise(x * 0.5 + 31, np.full_like(x, 3.5)) + 0.5 * leaves
    picture = np.where((y < far)[:, None], paint((126, 160, 116), 0.75 + 0.4 * leaves), sky)
    bush = texture.pick(((84, 132, 70), (104, 140, 66), (76, 120, 84)))
    return np.where((y < near)[:, None], paint(bush, 0.5 + 0.75 * leaves), picture)


def _sky(x: np.ndarray, y: np.ndarray, texture: Texture, *, low: float, high: float) -> np.ndarray:
    height = np.clip((y - low) / (high - low), 0, 1)
    blue = texture.pick(((112, 164, 216), (128, 170, 206), (150, 176, 200)))
    sky = mix(paint((224, 230, 228), np.ones_like(x)), blue, height)
    scale = 4.0 / (high - low)
    cloud = (
        texture.noise(x * scale * 0.5, y * scale) * 0.65
        + texture.noise(x * scale * 1.6, y * scale * 2.6) * 0.35
    )
    return mix(sky, (246, 246, 244), np.clip((cloud - 0.5) * 3.2, 0, 0.85))


def _sand_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    sand = texture.pick(((222, 198, 152), (212, 186, 146), (228, 210, 172)))
    ripple = texture.noise(x * 2 + 0.6 * z, z * 5)
    beach = paint(sand, 0.84 + 0.14 * ripple + 0.1 * texture.noise(x * 22, z * 22))
    shore = 3.2 + 0.7 * texture.noise(x * 0.5, np.zeros_like(x))
    water = paint(
        texture.pick(((70, 146, 164), (60, 126, 166))), 0.8 + 0.35 * texture.noise(x * 0.8, z * 3.5)
    )
    picture = np.where((z > shore)[:, None], water, beach)
    return mix(picture, (246, 248, 246), np.exp(-(((z - shore) / 0.22) ** 2)) * 0.85)


def _horizon(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    sky = _sky(x, y, texture, low=1.0, high=22.0)
    hills = 1.2 + 4.5 * texture.noise(x * 0.05 + 3, np.zeros_like(x)) - 1.4
    return mix(sky, (128, 156, 166), (y < hills) * 0.8)


def _stone_floor(x: np.ndarray, z: np.ndarray, texture: Texture) -> np.ndarray:
    light, dark = (
        texture.pick(((214, 208, 196), (202, 208, 206))),
        texture.pick(((150, 148, 146), (134, 146, 150))),
    )
    column, row = np.floor(x / 0.5), np.floor(z / 0.5)
    tone = 0.9 + 0.12 * texture.noise(x * 3, z * 3)
    return mix(paint(light, tone), paint(dark, tone), (column + row) % 2)


def _corridor_wall(x: np.ndarray, y: np.ndarray, texture: Texture) -> np.ndarray:
    upper, lower = (
        texture.pick(((224, 220, 204), (212, 218, 214))),
        texture.pick(((116, 148, 140), (172, 142, 112), (126, 140, 168))),
    )
    grain = 0.94 + 0.06 * texture.noise(x * 3, y * 3)
    wall = mix(paint(upper, grain), paint(lower, grain), y < 1.1)
    wall = mix(wall, (240, 238, 230), np.abs(y - 1.1) < 0.04)
    middle = np.rint(x / 2.4 + 0.3) * 2.4 - 0.72
    wall = mix(wall, (96, 72, 52), rectangle(x - middle, y, (0, 1.05), (1.15, 2.2)))
    wall = mix(
        wall,
        texture.pick(((150, 108, 70), (120, 82, 58), (176, 140, 100))),
        rectangle(x - middle, y, (0, 1.0), (1.0, 2.05)),
    )
    return mix(wall, (226, 206, 130), rectangle(x - middle, y, (0.38, 1.0), (0.08, 0.1)))


PLACES = {
    "studio": Place(_studio_floor, _studio_wall, depth=3.0),
    "living_room": Place(_wood_floor, _room_wall, depth=1.8),
    "office": Place(_carpet_floor, _office_wall, depth=2.0),
    "gym": Place(_mat_floor, _gym_wall, depth=3.0),
    "street": Place(_pavement_floor, _brick_wall, depth=1.9),
    "park": Place(_grass_floor, _trees, depth=10.0, outdoors=True),
    "beach": Place(_sand_floor, _horizon, depth=60.0, outdoors=True),
    "corridor": Place(_stone_floor, _corridor_wall, depth=1.6),
}
