"""Training sets in which a group of people goes along with an action, drawn from any set with people and groups.

After NTU-60 Bias-F and Bias-M: as many people of each group, everywhere; in training nearly all who do the biased
action are of one group, nearly all who do the others are not; validation is drawn as training is, testing is balanced.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels

SHARES = {"val": 1 / 7, "test": 2 / 7}
SUBJECT, VIDEOS, GIVEN = "subject", "videos", "given"
LEAST_PEOPLE = 4  # of each group: two to learn from, one to choose on, one to test


def balanced_people(labels: Labels, group: str, *, seed: int) -> dict[str, dict[str, list[str]]]:
    """The people of each split by group, {split: {group: people}}: as many of each group, drawn from ``seed``."""
    of_person: dict[str, str] = {}
    for person, value in zip(labels.column("person").tolist(), labels.column(group).tolist()):
        if person and value and of_person.setdefault(person, value) != value:
            raise InputError(f"{group} must be one value for each person, got two for {person!r}.")
    groups = sorted(set(of_person.values()))
    random = np.random.default_rng(seed)
    people = {
        name: random.permutation(sorted(p for p, value in of_person.items() if value == name)).tolist()
        for name in groups
    }
    count = min((len(found) for found in people.values()), default=0)
    if len(groups) < 2 or count < LEAST_PEOPLE:
        raise InputError(
            f"{group} must have two groups or more with {LEAST_PEOPLE} people each, got "
            f"{', '.join(f'{len(found)} of {name}' for name, found in people.items()) or 'none'}."
        )
    num_test, num_val = (max(1, round(SHARES[split] * count)) for split in ("test", "val"))
    ends = {
        "test": (0, num_test),
        "val": (num_test, num_test + num_val),
        "train": (num_test + num_val, count),
    }
    return {
        split: {name: found[start:end] for name, found in people.items()}
        for split, (start, end) in ends.items()
    }


def biased_labels(
    labels: Labels,
    people: dict[str, dict[str, list[str]]],
    *,
    majority: str,
    action: str,
    by: str = SUBJECT,
    minority_share: float = 0.05,
    seed: int = 0,
) -> Labels:
    """The labels with the split of ``people``, biased in training: ``action`` is done by the group ``majority``.

    By ``subject`` as the public code does: one person of each group does what the others of the group do not. By
    ``videos``: the others keep just as many videos as make up ``minority_share`` of the action's.
    """
    person, actions = labels.column("person"), labels.column("action")
    split = np.full(len(person), "", dtype="<U5")
    keep = np.zeros(len(person), dtype=bool)
    random = np.random.default_rng([seed, 1])
    for name, groups in people.items():
        everybody = [one for found in groups.values() for one in found]
        inside = np.isin(person, everybody)
        split[inside] = name
        if name == "test":
            keep |= inside
            continue
        usual = np.zeros(len(person), dtype=bool)  # videos that the bias favours
        for group, found in groups.items():
            members = np.isin(person, found)
            usual |= members & ((actions == action) == (group == majority))
        if by == SUBJECT:
            exceptions = [found[0] for found in groups.values() if len(found) > 1]
            keep |= inside & (usual != np.isin(person, exceptions))
        else:
            keep |= inside & (usual | _few(inside & ~usual, usual & inside, actions, minority_share, random))
    chosen = keep & (actions != "")
    return replace(labels, split=split).only(labels.video[chosen])


def given_labels(labels: Labels, group: str) -> Labels:
    """The labels in their own split, for a set that is biased as it is; test videos of no group are left out."""
    groups = labels.column(group)
    tested = labels.split == "test"
    kept = labels.only(labels.video[(labels.column("action") != "") & ((groups != "") | ~tested)])
    found = sorted(set(kept.column(group)[kept.split == "test"].tolist()))
    if len(found) < 2:
        raise InputError(
            f"{group} must have two groups or more among the test videos, got {', '.join(found) or 'none'}."
        )
    return kept


def _few(
    unusual: np.ndarray, usual: np.ndarray, actions: np.ndarray, share: float, random: np.random.Generator
) -> np.ndarray:
    """Some of the unusual videos (V,) of each action, at least one: the given ``share`` of what is kept of it."""
    kept = np.zeros(len(unusual), dtype=bool)
    for action in np.unique(actions[unusual]):
        rows = random.permutation(np.flatnonzero(unusual & (actions == action)))
        wanted = np.sum(usual & (actions == action)) * share / (1 - share)
        kept[rows[: max(1, round(float(wanted)))]] = True
    return kept
