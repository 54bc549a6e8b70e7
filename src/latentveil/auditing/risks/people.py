"""Which people an attacker of the open set learns from, chooses on, and is graded on: never the same ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError

# From this many people with two videos or more, the labels' own test people are enough.
ENOUGH_PEOPLE = 10
# From this many on, half of the known people are enough to choose on; fewer are chosen on in turn, half by half.
ENOUGH_TO_CHOOSE = 40
PEOPLE_PER_FOLD = 10
MAX_FOLDS = 3
# Two people to be compared, and two to learn from, are the least.
MIN_PEOPLE = 4


@dataclass(frozen=True, eq=False)
class PeopleFold:
    """Masks over videos (V,): ``trials`` of (learn, choose), and ``test``; no person is in two masks of a trial."""

    trials: tuple[tuple[np.ndarray, np.ndarray], ...]
    test: np.ndarray

    @property
    def known(self) -> np.ndarray:
        """The videos of everybody who is not tested, for the fit after all is chosen."""
        return np.logical_or(*self.trials[0])


def people_folds(person: np.ndarray, split: np.ndarray, *, seed: int) -> list[PeopleFold]:
    """Folds over people; ``person`` and ``split`` (V,).

    The labels' own split is used where it shares nobody and tests enough people. Otherwise people are dealt to folds,
    so that each is graded once: on their videos of the test split where that has two or more of enough people, since
    no adapter was trained on those, else on all of them.
    """
    linkable = _with_two_videos(person)
    if len(linkable) < MIN_PEOPLE:
        raise InputError(
            f"linkability must have {MIN_PEOPLE} people with two videos or more, got {len(linkable)}. Add videos."
        )
    random = np.random.default_rng(seed)
    parts = [split == name for name in ("train", "val", "test")]
    if _is_fair([person[part] for part in parts]):
        known = parts[0] | parts[1]
        chosen_on_own = min(len(_with_two_videos(person[part])) for part in parts[:2]) >= MIN_PEOPLE
        trials = ((parts[0], parts[1]),) if chosen_on_own else _halves(person, known, random)
        return [PeopleFold(trials, parts[2])]

    testable = parts[2]
    if len(_with_two_videos(person[testable])) < min(ENOUGH_PEOPLE, len(linkable)):
        testable = np.ones(len(person), dtype=bool)
    names = np.unique(person)
    num_folds = int(np.clip(len(linkable) // PEOPLE_PER_FOLD, 2, MAX_FOLDS))
    fold_of_name = _deal(names, linkable, num_folds, random)
    fold_of_video = fold_of_name[np.searchsorted(names, person)]
    return [
        PeopleFold(_halves(person, fold_of_video != number, random), (fold_of_video == number) & testable)
        for number in range(num_folds)
    ]


def _with_two_videos(person: np.ndarray) -> np.ndarray:
    names, counts = np.unique(person, return_counts=True)
    return names[counts > 1]


def _is_fair(people: list[np.ndarray]) -> bool:
    """Whether training, validation and test share nobody, and both sides have enough people."""
    train, validation, test = (set(part.tolist()) for part in people)
    if train & validation or train & test or validation & test:
        return False
    known = _with_two_videos(np.concatenate(people[:2]))
    return len(known) >= MIN_PEOPLE and len(_with_two_videos(people[2])) >= ENOUGH_PEOPLE


def _deal(names: np.ndarray, linkable: np.ndarray, num_folds: int, random: np.random.Generator) -> np.ndarray:
    """A fold for each name (P,), people with two videos or more dealt out first, so that each fold has its share."""
    shuffled = random.permutation(len(names))
    in_order = shuffled[np.argsort(~np.isin(names[shuffled], linkable), kind="stable")]
    folds = np.empty(len(names), dtype=int)
    folds[in_order] = np.arange(len(names)) % num_folds
    return folds


def _halves(
    person: np.ndarray, known: np.ndarray, random: np.random.Generator
) -> tuple[tuple[np.ndarray, np.ndarray], ...]:
    """Trials over the known people: one half of them is learned from, the other chosen on; few people, then in turn."""
    names, linkable = np.unique(person[known]), _with_two_videos(person[known])
    half_of_name = _deal(names, linkable, 2, random)
    first, second = (known & np.isin(person, names[half_of_name == half]) for half in (0, 1))
    once = ((first, second),)
    return once if len(linkable) >= ENOUGH_TO_CHOOSE else (*once, (second, first))
