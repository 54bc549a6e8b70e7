"""The head: face, hair, hat and glasses as round cones."""

from __future__ import annotations

from latentveil.actors.motion.body import Skeleton
from latentveil.actors.people import HAIR_COLOURS, Outfit, Person
from latentveil.actors.rendering.cones import Colour, ConeList, scaled

HAIR_RGB: dict[str, Colour] = {
    "black": (34, 30, 32),
    "brown": (98, 62, 38),
    "blond": (222, 184, 108),
    "red": (172, 74, 34),
    "grey": (172, 170, 170),
}
HAT_RGB: tuple[Colour, ...] = ((36, 62, 120), (160, 40, 48), (50, 96, 66), (64, 62, 66), (202, 178, 128))
LENS_RGB: Colour = (26, 30, 40)
EYE_RGB: Colour = (30, 24, 24)

Offset = tuple[float, float, float]


class _Head:
    """Adds cones given in head units: offsets from the centre of the skull as shares of the body height."""

    def __init__(self, cones: ConeList, skeleton: Skeleton, height: float) -> None:
        self.cones, self.skeleton, self.height = cones, skeleton, height

    def add(
        self, start: Offset, end: Offset, *, radii: tuple[float, float], colour: Colour, shadow: bool = False
    ) -> None:
        ends = [
            self.skeleton.point("head", "head", (x * self.height, (y + 0.07) * self.height, z * self.height))
            for x, y, z in (start, end)
        ]
        self.cones.add(
            *ends, radii=(radii[0] * self.height, radii[1] * self.height), colour=colour, shadow=shadow
        )

    def ball(self, centre: Offset, *, radius: float, colour: Colour) -> None:
        self.add(centre, centre, radii=(radius, radius), colour=colour)


def add_head(
    cones: ConeList, skeleton: Skeleton, person: Person, outfit: Outfit, *, skin: Colour, neck: bool = True
) -> None:
    """Add the neck, unless it is left out, and everything above it."""
    height = person.build.height
    head = _Head(cones, skeleton, height)
    if neck:
        ends = skeleton.joints["chest"], skeleton.joints["head"]
        cones.add(*ends, radii=(0.03 * height, 0.027 * height), colour=skin)
    head.add((0, 0.004, 0), (0, -0.036, 0.012), radii=(0.053, 0.036), colour=skin, shadow=True)
    add_face(cones, skeleton, person, skin=skin)
    _add_hair(head, person, colour=HAIR_RGB[HAIR_COLOURS[person.hair]])
    if outfit.hat:
        _add_hat(head, HAT_RGB[(outfit.upper + outfit.lower + person.skin) % len(HAT_RGB)])
    if person.glasses:
        _add_glasses(head)


def add_face(cones: ConeList, skeleton: Skeleton, person: Person, *, skin: Colour, ears: bool = True) -> None:
    """Add nose, lips, eyes, brows and, unless they are left out, ears."""
    head = _Head(cones, skeleton, person.build.height)
    shade = scaled(skin, 0.9)
    lips = (0.72 * skin[0] + 20, 0.5 * skin[1], 0.5 * skin[2])
    brow = scaled(HAIR_RGB[HAIR_COLOURS[person.hair]], 0.75)
    head.add((0, -0.008, 0.05), (0, -0.02, 0.054), radii=(0.005, 0.008), colour=shade)
    head.add((0.011, -0.037, 0.0435), (-0.011, -0.037, 0.0435), radii=(0.005, 0.005), colour=lips)
    for sign in (1, -1):
        head.ball((sign * 0.019, -0.004, 0.0455), radius=0.0065, colour=EYE_RGB)
        head.add(
            (sign * 0.012, 0.012, 0.049), (sign * 0.028, 0.012, 0.043), radii=(0.004, 0.004), colour=brow
        )
        if ears:
            head.ball((sign * 0.052, -0.008, 0.0), radius=0.011, colour=shade)


def _add_hair(head: _Head, person: Person, *, colour: Colour) -> None:
    style = person.hair_style
    thick = {"cropped": 0.053, "curly": 0.062}.get(style, 0.0565)
    head.add((0, 0.013, -0.009), (0, -0.012, -0.02), radii=(thick, thick - 0.006), colour=colour, shadow=True)
    if style != "cropped":
        head.add((0.03, 0.042, 0.022), (-0.026, 0.042, 0.024), radii=(0.02, 0.022), colour=colour)
    if style == "curly":
        for sign in (1, -1):
            head.ball((sign * 0.042, 0.025, 0.0), radius=0.03, colour=colour)
            head.ball((sign * 0.036, -0.005, -0.022), radius=0.034, colour=colour)
    if style == "long":
        head.add((0, 0.0, -0.03), (0, -0.11, -0.045), radii=(0.05, 0.042), colour=colour, shadow=True)
        for sign in (1, -1):
            head.add(
                (sign * 0.044, 0.01, -0.012),
                (sign * 0.05, -0.105, -0.02),
                radii=(0.022, 0.024),
                colour=colour,
            )
    if style == "ponytail":
        head.add((0, 0.02, -0.055), (0, -0.085, -0.085), radii=(0.024, 0.014), colour=colour)
    if style == "bun":
        head.ball((0, 0.05, -0.045), radius=0.03, colour=colour)


def _add_hat(head: _Head, colour: Colour) -> None:
    """A cap with a peak."""
    dark = scaled(colour, 0.7)
    head.add((0, 0.031, -0.004), (0, 0.033, -0.008), radii=(0.0605, 0.0605), colour=colour, shadow=True)
    for offset in (0.024, 0.008, -0.008, -0.024):
        reach = 0.095 - 8.0 * offset * offset
        head.add((offset, 0.024, 0.045), (offset * 1.1, 0.016, reach), radii=(0.012, 0.009), colour=dark)


def _add_glasses(head: _Head) -> None:
    for sign in (1, -1):
        head.ball((sign * 0.0205, -0.004, 0.046), radius=0.0155, colour=LENS_RGB)
        head.add(
            (sign * 0.034, -0.001, 0.042),
            (sign * 0.054, 0.002, -0.004),
            radii=(0.005, 0.005),
            colour=LENS_RGB,
        )
    head.add((0.012, 0.0, 0.054), (-0.012, 0.0, 0.054), radii=(0.005, 0.005), colour=LENS_RGB)
