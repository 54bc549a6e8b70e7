"""Which videos an attacker learns from and which it is graded on: never the same person in both.

The one exception is the secret "identity", which asks for known people.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import IDENTITY, Labels

MAX_FOLDS = 5
# From this many people (or videos, where they are split) to test on, one fold with two classes is enough; with fewer,
# all are tested.
MANY_GROUPS = 100
VALIDATION_SHARE = 0.25


@dataclass(frozen=True)
class Fold:
    """The videos of one fit and its grading: no video is in two parts, and no person unless that is the secret."""

    train: tuple[str, ...]
    validation: tuple[str, ...]
    test: tuple[str, ...]


def attack_folds(labels: Labels, secret: str, *, seed: int) -> list[Fold]:
    """The folds for attacking ``secret``; answers on their test parts are to be pooled.

    The labels' own split is used where it is complete and shares no person (identity: where every tested person is
    known from training). Otherwise seeded folds are made, stratified by the secret, over people, or over videos where
    nobody is named or the person is the secret. Each is tested once, on their videos of the labels' test split, since
    no adapter was trained on those, or on all of their videos if that split does not show two classes. Videos of a
    class that the attacker has never seen are not tested: nobody could name it.
    """
    known = labels.column(secret) != ""
    labels = labels.only(labels.video[known])
    target = labels.column(secret)
    groups = groups_for(labels, secret)
    if _own_split_is_fair(labels.split, target, groups):
        return [_own_fold(labels, target, groups, seed=seed)]
    return _made_folds(labels, secret, groups, seed=seed)


def groups_for(labels: Labels, secret: str) -> np.ndarray:
    """What an attack on ``secret`` must not know in part and be tested on in part (V,): the person, or the video."""
    return labels.video if secret in (IDENTITY, "person") else labels.groups


def _own_split_is_fair(split: np.ndarray, target: np.ndarray, groups: np.ndarray) -> bool:
    """Whether the labels' split shares no group, and tests two classes or more, all of them known from training."""
    train, validation, test = (set(groups[split == name]) for name in ("train", "val", "test"))
    if train & validation or train & test or validation & test:
        return False
    trained, tested = (set(target[split == name]) for name in ("train", "test"))
    return len(tested) > 1 and tested <= trained


def _own_fold(labels: Labels, target: np.ndarray, groups: np.ndarray, *, seed: int) -> Fold:
    """The labels' own split; where it has no validation part, some groups of the training part become it."""
    is_train, is_validation = labels.split == "train", labels.split == "val"
    if not is_validation.any():
        names, group_of_video = np.unique(groups, return_inverse=True)
        available = np.isin(names, groups[is_train])
        drawn = _draw_validation(
            _group_classes(target, group_of_video), available, np.random.default_rng(seed)
        )
        is_validation = drawn[group_of_video]
    return _fold(labels, is_train & ~is_validation, is_validation, labels.split == "test")


def _made_folds(labels: Labels, secret: str, groups: np.ndarray, *, seed: int) -> list[Fold]:
    """Folds over groups (V,), stratified by the class that most of a group's videos have."""
    target = labels.column(secret)
    names, group_of_video = np.unique(groups, return_inverse=True)
    class_of_group = _group_classes(target, group_of_video)
    _check_enough(class_of_group, secret, of="videos" if groups is labels.video else "people")
    for testable in (labels.split == "test", np.ones(len(target), dtype=bool)):
        generator = np.random.default_rng(seed)
        num_folds = min(MAX_FOLDS, len(names))
        fold_of_group = _deal(class_of_group, num_folds, generator)
        one_is_enough = len(np.unique(groups[testable])) >= MANY_GROUPS
        folds, classes = [], set()
        for number in range(num_folds):
            held_out = fold_of_group == number
            validation = _draw_validation(class_of_group, ~held_out, generator)
            train = (~held_out & ~validation)[group_of_video]
            tested = held_out[group_of_video] & testable & np.isin(target, target[train])
            if tested.any():
                folds.append(_fold(labels, train, validation[group_of_video], tested))
                classes |= set(target[tested])
            if one_is_enough and len(classes) > 1:
                break
        if len(classes) > 1:
            return folds
    raise InputError(
        f"secret {secret!r} must have two classes that can be learned from some videos and tested on others, got "
        f"{len(classes)}. Add videos or leave the secret out."
    )


def _check_enough(class_of_group: np.ndarray, secret: str, *, of: str) -> None:
    classes, counts = np.unique(class_of_group, return_counts=True)
    if np.sum(counts >= 2) < 2:
        found = ", ".join(f"{count} of {str(name)!r}" for name, count in zip(classes, counts))
        raise InputError(
            f"secret {secret!r} must have two classes with at least two {of} each, got {found or 'none'}. "
            f"Add {of} or leave the secret out."
        )


def _deal(class_of_group: np.ndarray, num_folds: int, generator: np.random.Generator) -> np.ndarray:
    """A fold for each group (G,): shuffled, then dealt out class after class, so that folds differ by one at most."""
    shuffled = generator.permutation(len(class_of_group))
    in_order = shuffled[np.argsort(class_of_group[shuffled], kind="stable")]
    folds = np.empty(len(class_of_group), dtype=int)
    folds[in_order] = np.arange(len(in_order)) % num_folds
    return folds


def _draw_validation(
    class_of_group: np.ndarray, available: np.ndarray, generator: np.random.Generator
) -> np.ndarray:
    """Some of the available groups (G,) of each class, at least one where another stays for training."""
    drawn = np.zeros(len(class_of_group), dtype=bool)
    for name in np.unique(class_of_group[available]):
        members = generator.permutation(np.flatnonzero(available & (class_of_group == name)))
        if len(members) > 1:
            drawn[members[: max(1, round(VALIDATION_SHARE * len(members)))]] = True
    if not drawn.any():
        drawn[generator.choice(np.flatnonzero(available))] = True
    return drawn


def _group_classes(target: np.ndarray, group_of_video: np.ndarray) -> np.ndarray:
    """The class (G,) that most videos of each group have, the first in order of equals."""
    classes, class_of_video = np.unique(target, return_inverse=True)
    counts = np.zeros((group_of_video.max() + 1, len(classes)), dtype=int)
    np.add.at(counts, (group_of_video, class_of_video), 1)
    return classes[counts.argmax(axis=1)]


def _fold(labels: Labels, *parts: np.ndarray) -> Fold:
    """The videos of the three masks (V,)."""
    return Fold(*(tuple(labels.video[rows].tolist()) for rows in parts))
