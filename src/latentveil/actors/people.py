"""Who is in the picture: people with a body, a style of moving and private attributes, and what they wear."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

GENDERS = ("masculine", "feminine")
HAIR_COLOURS = ("black", "brown", "blond", "red", "grey")
CLOTHING_COLOURS = ("white", "black", "red", "orange", "yellow", "green", "blue", "purple")
SCENES = ("studio", "living_room", "office", "gym", "street", "park", "beach", "corridor")
NUM_SKIN_TONES = 6

SPLIT_SHARES = {"train": 0.6, "val": 0.15, "test": 0.25}


@dataclass(frozen=True)
class Style:
    """How a person moves; factors are around 1, angles in radians."""

    tempo: float
    amplitude: float
    arm_swing: float
    stride: float
    bob: float
    sway: float
    elbow_bend: float
    lean: float
    step_width: float
    arm_lag: float
    asymmetry: float


@dataclass(frozen=True)
class Build:
    """Body measures; lengths in metres, the others as factors around 1."""

    height: float
    shoulder_width: float
    hip_width: float
    waist: float
    leg_share: float
    arm_share: float
    girth: float
    bust: float


@dataclass(frozen=True)
class Person:
    """One person, the same in every video: ``gender`` is the perceived presentation, an index into GENDERS."""

    name: str
    gender: int
    skin: int
    hair: int
    hair_style: str
    glasses: int
    build: Build
    style: Style
    skin_shift: tuple[float, float, float]


@dataclass(frozen=True)
class Outfit:
    """What a person wears in one video; colours are indices into CLOTHING_COLOURS."""

    upper: int
    lower: int
    bare_legs: int
    hat: int
    sleeves: str = "long"
    skirt: bool = False
    shoe_colour: tuple[int, int, int] = (40, 40, 45)
    bag: bool = False
    coat: bool = False


def draw_levels(rng: np.random.Generator, num_levels: int, count: int) -> np.ndarray:
    """Random levels (count,) of an attribute, each level equally often (up to one), in random order."""
    start = int(rng.integers(num_levels))
    return rng.permutation((start + np.arange(count)) % num_levels)


def draw_people(
    rng: np.random.Generator, count: int, *, first: int = 0, gender: int | None = None
) -> list[Person]:
    """Draw ``count`` people named p000, p001 … from ``first``; attributes are balanced and independent.

    All have the same ``gender`` if one is given.
    """
    levels = {
        "gender": draw_levels(rng, len(GENDERS), count) if gender is None else np.full(count, gender),
        "skin": draw_levels(rng, NUM_SKIN_TONES, count),
        "hair": draw_levels(rng, len(HAIR_COLOURS), count),
        "glasses": draw_levels(rng, 2, count),
    }
    return [
        _draw_person(
            rng, f"p{first + index:03d}", {name: int(values[index]) for name, values in levels.items()}
        )
        for index in range(count)
    ]


def draw_outfits(rng: np.random.Generator, wearers: Sequence[Person]) -> list[Outfit]:
    """Draw one outfit per entry of ``wearers``; attributes are balanced and independent of each other."""
    count = len(wearers)
    upper = draw_levels(rng, len(CLOTHING_COLOURS), count)
    lower = draw_levels(rng, len(CLOTHING_COLOURS), count)
    bare_legs, hat = draw_levels(rng, 2, count), draw_levels(rng, 2, count)
    return [
        Outfit(
            upper=int(upper[index]),
            lower=int(lower[index]),
            bare_legs=int(bare_legs[index]),
            hat=int(hat[index]),
            sleeves=str(rng.choice(["short", "long"])),
            skirt=bool(bare_legs[index] and person.gender == 1 and rng.random() < 0.6),
            shoe_colour=_SHOES[int(rng.integers(len(_SHOES)))],
        )
        for index, person in enumerate(wearers)
    ]


def split_sizes(count: int) -> dict[str, int]:
    """How many of ``count`` (at least 3) go to train, val and test; none gets nothing."""
    num_test = max(1, round(count * SPLIT_SHARES["test"]))
    num_val = max(1, round(count * SPLIT_SHARES["val"]))
    return {"train": count - num_test - num_val, "val": num_val, "test": num_test}


def split_people(rng: np.random.Generator, count: int) -> dict[str, list[Person]]:
    """Draw ``count`` people (at least 3) in disjoint groups for train, val and test."""
    people: dict[str, list[Person]] = {}
    first = 0
    for split, size in split_sizes(count).items():
        people[split] = draw_people(rng, size, first=first)
        first += size
    return people


def secret_labels(person: Person, outfit: Outfit, *, scene: str) -> dict[str, str]:
    """The private attributes as columns of labels.csv; classes are integers written as text."""
    return {
        "secret_gender": str(person.gender),
        "secret_skin": str(person.skin),
        "secret_hair": str(person.hair),
        "secret_glasses": str(person.glasses),
        "secret_hat": str(outfit.hat),
        "secret_upper": str(outfit.upper),
        "secret_lower": str(outfit.lower),
        "secret_bare_legs": str(outfit.bare_legs),
        "secret_scene": str(SCENES.index(scene)),
    }


_SHOES = ((38, 38, 44), (225, 222, 215), (96, 62, 40), (150, 40, 44), (44, 62, 110))

_HAIR_STYLES: dict[int, dict[str, float]] = {
    0: {"short": 0.55, "cropped": 0.25, "curly": 0.12, "long": 0.08},
    1: {"long": 0.5, "ponytail": 0.25, "bun": 0.13, "short": 0.12},
}


def _draw_person(rng: np.random.Generator, name: str, levels: dict[str, int]) -> Person:
    shares = _HAIR_STYLES[levels["gender"]]
    return Person(
        name=name,
        hair_style=str(rng.choice(list(shares), p=list(shares.values()))),
        build=_draw_build(rng, levels["gender"]),
        style=_draw_style(rng),
        skin_shift=tuple(rng.normal(0.0, 4.0, 3).tolist()),
        **levels,
    )


def _draw_build(rng: np.random.Generator, gender: int) -> Build:
    """Measures overlap between the presentations, as they do between real people."""
    feminine = gender == 1
    height = float(np.clip(rng.normal(1.66 if feminine else 1.77, 0.06), 1.5, 1.95))
    return Build(
        height=height,
        shoulder_width=height * float(np.clip(rng.normal(0.192 if feminine else 0.222, 0.008), 0.17, 0.25)),
        hip_width=height * float(np.clip(rng.normal(0.112 if feminine else 0.104, 0.005), 0.09, 0.13)),
        waist=float(np.clip(rng.normal(0.82 if feminine else 0.98, 0.06), 0.7, 1.2)),
        leg_share=float(rng.uniform(0.96, 1.04)),
        arm_share=float(rng.uniform(0.95, 1.06)),
        girth=float(np.clip(rng.normal(0.95 if feminine else 1.02, 0.1), 0.8, 1.3)),
        bust=float(rng.uniform(0.8, 1.15)) if feminine else 0.0,
    )


def _draw_style(rng: np.random.Generator) -> Style:
    return Style(
        tempo=float(rng.uniform(0.84, 1.2)),
        amplitude=float(rng.uniform(0.85, 1.15)),
        arm_swing=float(rng.uniform(0.45, 1.5)),
        stride=float(rng.uniform(0.8, 1.2)),
        bob=float(rng.uniform(0.0, 0.03)),
        sway=float(rng.uniform(0.01, 0.09)),
        elbow_bend=float(rng.uniform(0.1, 0.6)),
        lean=float(rng.uniform(-0.03, 0.13)),
        step_width=float(rng.uniform(0.01, 0.08)),
        arm_lag=float(rng.uniform(-0.4, 0.4)),
        asymmetry=float(rng.uniform(-0.12, 0.12)),
    )
