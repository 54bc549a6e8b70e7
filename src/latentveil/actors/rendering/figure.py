"""Flesh and clothes: a skeleton and what the person wears, as coloured round cones."""

from __future__ import annotations

from dataclasses import dataclass

from latentveil.actors.motion.beat import SIDES
from latentveil.actors.motion.body import Skeleton
from latentveil.actors.people import CLOTHING_COLOURS, Outfit, Person
from latentveil.actors.rendering.cones import Colour, ConeList, Cones
from latentveil.actors.rendering.head import add_head

SKIN_RGB: tuple[Colour, ...] = (
    (252, 222, 200),
    (238, 196, 162),
    (216, 164, 122),
    (174, 118, 80),
    (128, 82, 54),
    (82, 52, 38),
)
CLOTHING_RGB: dict[str, Colour] = {
    "white": (232, 232, 228),
    "black": (46, 46, 52),
    "red": (196, 48, 46),
    "orange": (228, 124, 48),
    "yellow": (232, 196, 66),
    "green": (62, 140, 78),
    "blue": (52, 96, 176),
    "purple": (128, 72, 150),
}
BAG_RGB: Colour = (112, 66, 42)


@dataclass(frozen=True)
class Palette:
    """The colours of one dressed person."""

    skin: Colour
    upper: Colour
    lower: Colour
    shoes: Colour

    @classmethod
    def of(cls, person: Person, outfit: Outfit) -> Palette:
        (red, green, blue), shift = SKIN_RGB[person.skin], person.skin_shift
        return cls(
            skin=(red + shift[0], green + shift[1], blue + shift[2]),
            upper=CLOTHING_RGB[CLOTHING_COLOURS[outfit.upper]],
            lower=CLOTHING_RGB[CLOTHING_COLOURS[outfit.lower]],
            shoes=outfit.shoe_colour,
        )


def dress(skeleton: Skeleton, person: Person, outfit: Outfit) -> Cones:
    """The cones of a person over time."""
    cones, palette = ConeList(), Palette.of(person, outfit)
    _add_torso(cones, skeleton, person, outfit, palette=palette)
    for side, sign in zip(SIDES, (1.0, -1.0)):
        _add_arm(cones, skeleton, person, outfit, palette=palette, side=side)
        _add_leg(cones, skeleton, person, outfit, palette=palette, side=side)
        _add_flank(cones, skeleton, person, outfit, palette=palette, sign=sign)
    add_head(cones, skeleton, person, outfit, skin=palette.skin)
    if outfit.bag:
        _add_bag(cones, skeleton, person)
    return cones.build()


def _add_torso(
    cones: ConeList, skeleton: Skeleton, person: Person, outfit: Outfit, *, palette: Palette
) -> None:
    build = person.build
    height, width = build.height, build.girth * (1.15 if outfit.coat else 1.0)
    hem = skeleton.point("pelvis", "pelvis", (0, 0.045 * height, 0))
    chest = skeleton.point("chest", "chest", (0, -0.055 * height, 0.008 * height))
    cones.add(
        hem,
        skeleton.joints["waist"],
        radii=(0.06 * height * width, 0.062 * height * width * build.waist),
        colour=palette.upper,
        shadow=True,
    )
    cones.add(
        skeleton.joints["waist"],
        chest,
        radii=(0.062 * height * width * build.waist, 0.07 * height * width),
        colour=palette.upper,
        shadow=True,
    )
    shoulders = [
        skeleton.point("chest", "chest", (sign * 0.4 * build.shoulder_width, -0.022 * height, 0))
        for sign in (1, -1)
    ]
    cones.add(*shoulders, radii=(0.04 * height * width,) * 2, colour=palette.upper, shadow=True)
    cones.add(
        skeleton.joints["hip_left"],
        skeleton.joints["hip_right"],
        radii=(0.063 * height * build.girth,) * 2,
        colour=palette.lower,
    )
    if build.bust:
        bust = [
            skeleton.point("chest", "chest", (sign * 0.036 * height, -0.078 * height, 0.036 * height))
            for sign in (1, -1)
        ]
        cones.add(*bust, radii=(0.04 * height * build.bust,) * 2, colour=palette.upper)


def _add_flank(
    cones: ConeList, skeleton: Skeleton, person: Person, outfit: Outfit, *, palette: Palette, sign: float
) -> None:
    """One side of the torso: hip to waist to below the shoulder."""
    build = person.build
    height, width = build.height, build.girth * (1.15 if outfit.coat else 1.0)
    hip = skeleton.point("pelvis", "pelvis", (sign * 0.46 * build.hip_width, 0.04 * height, 0))
    waist_out = 0.42 * build.hip_width * build.waist
    waist = skeleton.point("pelvis", "waist", (sign * waist_out, 0, 0))
    chest = skeleton.point("chest", "chest", (sign * 0.3 * build.shoulder_width, -0.05 * height, 0))
    slim = 0.052 * height * width * build.waist
    cones.add(hip, waist, radii=(0.056 * height * width, slim), colour=palette.upper)
    cones.add(waist, chest, radii=(slim, 0.056 * height * width), colour=palette.upper)


def _add_arm(
    cones: ConeList, skeleton: Skeleton, person: Person, outfit: Outfit, *, palette: Palette, side: str
) -> None:
    size = person.build.height * person.build.girth
    joints = skeleton.joints
    long = outfit.sleeves == "long" or outfit.coat
    thick = 1.25 if outfit.coat else 1.0
    sleeve = palette.upper if long else (palette.upper, palette.skin, 0.62)
    shoulder, elbow, wrist, hand = (
        joints[f"{name}_{side}"] for name in ("shoulder", "elbow", "wrist", "hand")
    )
    cones.add(shoulder, elbow, radii=(0.036 * size * thick, 0.027 * size * thick), colour=sleeve, shadow=True)
    cuff = (palette.upper, palette.skin, 0.88) if long else palette.skin
    cones.add(elbow, wrist, radii=(0.027 * size * thick, 0.019 * size * thick), colour=cuff, shadow=True)
    cones.add(wrist, hand, radii=(0.018 * size, 0.023 * size), colour=palette.skin)
    thumb = skeleton.point(f"forearm_{side}", f"wrist_{side}", (0, -0.028 * size, 0.02 * size))
    cones.add(wrist, thumb, radii=(0.012 * size, 0.009 * size), colour=palette.skin)


def _add_leg(
    cones: ConeList, skeleton: Skeleton, person: Person, outfit: Outfit, *, palette: Palette, side: str
) -> None:
    size = person.build.height * person.build.girth
    joints = skeleton.joints
    hip, knee, ankle, heel, toe = (
        joints[f"{name}_{side}"] for name in ("hip", "knee", "ankle", "heel", "toe")
    )
    thigh = (palette.lower, palette.skin, 0.66) if outfit.bare_legs else palette.lower
    shin = palette.skin if outfit.bare_legs else palette.lower
    loose = 1.0 if outfit.bare_legs else 1.1
    cones.add(hip, knee, radii=(0.06 * size, 0.038 * size * loose), colour=thigh, shadow=True)
    cones.add(knee, ankle, radii=(0.038 * size * loose, 0.024 * size * loose), colour=shin, shadow=True)
    cones.add(heel, toe, radii=(0.025 * size, 0.019 * size), colour=palette.shoes, shadow=True)
    if outfit.bare_legs and not outfit.skirt:
        hem = hip + 0.6 * (knee - hip)
        cones.add(hip, hem, radii=(0.063 * size, 0.055 * size), colour=palette.lower)
    if outfit.skirt or outfit.coat:
        cloth = palette.upper if outfit.coat else palette.lower
        hem = hip + (0.8 if outfit.coat else 0.7) * (knee - hip)
        cones.add(hip, hem, radii=(0.064 * size, 0.07 * size), colour=cloth, shadow=True)
        middle = 0.5 * hem + 0.5 * (joints["hip_left"] + joints["hip_right"]) / 2 + 0.35 * (knee - hip)
        cones.add(joints["pelvis"], middle, radii=(0.06 * size, 0.07 * size), colour=cloth)


def _add_bag(cones: ConeList, skeleton: Skeleton, person: Person) -> None:
    """A backpack with two straps."""
    height = person.build.height
    for offset in (0.035, -0.035):
        top = skeleton.point("chest", "chest", (offset * height, -0.045 * height, -0.085 * height))
        bottom = skeleton.point("chest", "waist", (offset * height, 0.0, -0.1 * height))
        cones.add(top, bottom, radii=(0.045 * height, 0.058 * height), colour=BAG_RGB, shadow=True)
        strap_top = skeleton.point("chest", "chest", (1.4 * offset * height, 0.0, 0.03 * height))
        strap_end = skeleton.point("chest", "chest", (1.8 * offset * height, -0.1 * height, 0.058 * height))
        cones.add(strap_top, strap_end, radii=(0.02 * height, 0.016 * height), colour=BAG_RGB)
