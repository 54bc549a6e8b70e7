"""Which videos of known people an attacker knows, chooses on, and is asked about."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.auditing.risks.people import ENOUGH_PEOPLE
from latentveil.auditing.risks.videos import PeopleVideos
from latentveil.errors import InputError

# One known, one to choose the attacker on, one to ask about.
MIN_VIDEOS = 3
ASKED_SHARE = 0.34
CHOSEN_ON_SHARE = 0.25


@dataclass(frozen=True, eq=False)
class Roles:
    """Who takes part (a mask over all videos), and for those videos (N,) the person's number and what they are for."""

    takes_part: np.ndarray
    people: np.ndarray
    person: np.ndarray
    asked: np.ndarray
    chosen_on: np.ndarray

    def draw_known(self, amount: int | None, random: np.random.Generator) -> np.ndarray:
        """A mask (N,) of ``amount`` known videos of each person, or of all."""
        known = np.zeros(len(self.person), dtype=bool)
        free = ~self.asked & ~self.chosen_on
        for number in range(len(self.people)):
            own = np.flatnonzero(free & (self.person == number))
            known[random.permutation(own)[:amount]] = True
        return known


def deal_roles(videos: PeopleVideos, *, seed: int) -> Roles:
    """Asked about are people with three videos or more, on their test videos where they have others to be known by.

    Where the test split shares nobody with the others and has enough people, only its people take part.
    """
    random = np.random.default_rng(seed)
    names, counts = np.unique(videos.person, return_counts=True)
    names = names[counts >= MIN_VIDEOS]
    by_split = {part: set(videos.person[videos.split == part].tolist()) for part in ("train", "val", "test")}
    strangers = [name for name in names if name not in by_split["train"] | by_split["val"]]
    if len(strangers) >= ENOUGH_PEOPLE:
        names = np.array(strangers)
    if len(names) < 2:
        raise InputError(
            f"singling out must have two people with {MIN_VIDEOS} videos or more, got {len(names)}. Add videos."
        )
    takes_part = np.isin(videos.person, names)
    person, split = np.searchsorted(names, videos.person[takes_part]), videos.split[takes_part]
    asked, chosen_on = np.zeros(len(person), dtype=bool), np.zeros(len(person), dtype=bool)
    for number in range(len(names)):
        own = random.permutation(np.flatnonzero(person == number))
        tested = own[split[own] == "test"]
        if not 0 < len(tested) <= len(own) - 2:
            tested = own[: max(1, round(ASKED_SHARE * len(own)))]
        rest = np.setdiff1d(own, tested)
        asked[tested] = True
        chosen_on[random.permutation(rest)[: max(1, round(CHOSEN_ON_SHARE * len(rest)))]] = True
    return Roles(takes_part, names, person, asked, chosen_on)
