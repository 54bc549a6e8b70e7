"""The rasteriser against a plain loop over pixels, and which of two surfaces is seen."""

from __future__ import annotations

import numpy as np

from latentveil.actors.description import View
from latentveil.actors.rendering.camera import Camera
from latentveil.actors.rendering.cones import ConeList, Cones
from latentveil.actors.rendering.raster import (
    CHANNEL_MASK,
    PAINT_MASK,
    Window,
    paint_shadows,
    paint_shapes,
    project_cones,
    shade_table,
    window_of,
)

SIZE = 48
CAMERA = Camera.create(View(shake=0.0), size=SIZE, pelvis=np.zeros((1, 3)), rng=np.random.default_rng(0))
STILL = np.zeros((1, 2))
WHOLE = Window(0, SIZE, 0, SIZE)


def random_cones(count: int) -> Cones:
    rng, cones = np.random.default_rng(5), ConeList()
    for index in range(count):
        start, end = rng.uniform((-1, 0, -1), (1, 1.8, 1), (2, 1, 3))
        cones.add(start, end, radii=tuple(rng.uniform(0.03, 0.3, 2)), colour=(float(index + 1), 0.0, 0.0))
    return cones.build()


def paint(cones: Cones) -> np.ndarray:
    shapes = project_cones(cones, CAMERA, STILL)
    shades = shade_table(cones.colours)
    return paint_shapes(shapes, window=WHOLE, num_frames=1, focal=CAMERA.focal, shades=shades)[0]


def test_coverage_equals_a_loop_over_pixels():
    cones = random_cones(7)
    covered = np.zeros((SIZE, SIZE), dtype=bool)
    (start, start_depth), (end, end_depth) = CAMERA.project(cones.start[0]), CAMERA.project(cones.end[0])
    for cone in range(7):
        radii = cones.radii[cone] * CAMERA.focal / np.array([start_depth[cone], end_depth[cone]])
        way = end[cone] - start[cone]
        for y in range(SIZE):
            for x in range(SIZE):
                point = np.array([x + 0.5, y + 0.5]) - start[cone]
                share = np.clip(point @ way / (way @ way), 0, 1)
                radius = radii[0] + share * (radii[1] - radii[0])
                covered[y, x] |= np.linalg.norm(point - share * way) < radius
    assert 0.1 < covered.mean() < 0.9
    assert (covered != (paint(cones) > 0)).mean() < 0.002


def test_the_nearer_surface_hides_the_other_whatever_the_order():
    colours = {"near": (200.0, 0.0, 0.0), "far": (0.0, 0.0, 200.0)}
    for order in (("near", "far"), ("far", "near")):
        cones = ConeList()
        for name in order:
            at = np.array([[0.0, 0.9, 0.5 if name == "near" else -0.5]])
            cones.add(at, at, radii=(0.3, 0.3), colour=colours[name])
        centre = int(paint(cones.build())[SIZE // 2, SIZE // 2]) & PAINT_MASK
        assert (centre >> 20) & CHANNEL_MASK > 100
        assert centre & CHANNEL_MASK == 0


def test_the_second_colour_begins_at_the_split():
    cones = ConeList()
    ends = np.array([[-0.6, 0.9, 0.0]]), np.array([[0.6, 0.9, 0.0]])
    cones.add(*ends, radii=(0.2, 0.2), colour=((200.0, 0.0, 0.0), (0.0, 0.0, 200.0), 0.5))
    row = paint(cones.build())[SIZE // 2] & PAINT_MASK
    red, blue = (row >> 20) & CHANNEL_MASK, row & CHANNEL_MASK
    assert (red[14:23] > 0).all()
    assert (blue[25:34] > 0).all()
    assert not (red[25:] > 0).any()
    assert not (blue[:23] > 0).any()


def test_a_window_changes_nothing_but_the_crop():
    cones = random_cones(5)
    shapes, shades = project_cones(cones, CAMERA, STILL), shade_table(cones.colours)
    window = window_of(shapes, SIZE)
    part = paint_shapes(shapes, window=window, num_frames=1, focal=CAMERA.focal, shades=shades)[0]
    whole = paint(cones)
    np.testing.assert_array_equal(part, whole[window.top : window.bottom, window.left : window.right])
    assert (whole > 0).sum() == (part > 0).sum()


def test_shadows_are_darkest_in_the_middle_and_flat():
    cones = ConeList()
    at = np.array([[0.0, 0.9, 0.0]])
    cones.add(at, at, radii=(0.4, 0.4), colour=(0.0, 0.0, 0.0), shadow=True)
    shapes = project_cones(cones.build(), CAMERA, STILL)
    darkness = paint_shadows(shapes, window=WHOLE, num_frames=1, stretch=4.0)[0]
    assert darkness[SIZE // 2, SIZE // 2] == 1.0
    wide, high = (darkness.max(axis=0) > 0).sum(), (darkness.max(axis=1) > 0).sum()
    assert 3 <= wide / high <= 5
