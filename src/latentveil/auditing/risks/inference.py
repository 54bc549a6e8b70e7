"""Inference: how often an attribute of each person is guessed rightly, on average, at worst, and group by group."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from latentveil.auditing.answers import SecretAnswers
from latentveil.auditing.leakage import BothAnswers
from latentveil.errors import InputError
from latentveil.labels import IDENTITY, Labels
from latentveil.metrics.intervals import SHARE, interval_over_groups, mean_of
from latentveil.results.risks import Inference, PeopleInference
from latentveil.types import Interval

LUCK_DRAWS = 200


def is_attribute_of_people(secret: str, labels: Labels) -> bool:
    """Whether the secret is something that people have, and people are known to be told apart."""
    return secret not in (IDENTITY, "person") and labels.person is not None


def infer_with(answers: BothAnswers, attacks: Sequence[str], *, seed: int = 0) -> Inference:
    """What the best of some ``attacks`` knows of each person, from raw and from anonymized features."""
    sides = (answers.raw, answers.anonymized)
    return Inference(
        *(infer_by_person(side, attack=max(attacks, key=side.value), seed=seed) for side in sides)
    )


def infer_by_person(
    answers: SecretAnswers, *, attack: str | None = None, group: np.ndarray | None = None, seed: int = 0
) -> PeopleInference:
    """What one attack (the best, if not named) knows of each person.

    ``group`` (V,) names the group of each video of ``answers``; the classes of the secret, if not given. An answer is
    the class that the features speak for most, whatever its frequency; one of several equals is right by its share. In
    the average every class counts the same, also of people who change it from video to video, so that always naming one
    class is worth no more than guessing. An attacker who has several videos of somebody pools what they speak for.
    """
    attack = attack or answers.best_attack
    group = np.array(answers.classes)[answers.target] if group is None else np.asarray(group)
    if len(group) != len(answers.video):
        raise InputError(f"group must have {len(answers.video)} values like the answers, got {len(group)}.")
    names, person = np.unique(answers.group, return_inverse=True)
    num_videos = np.bincount(person)
    right = right_by_rise(answers, attack)
    of_class, target, share = _by_person(person, answers.target, right)
    of_group, in_group, share_in_group = _by_person(person, group, right)
    chance = 1 / len(answers.classes)
    return PeopleInference(
        secret=answers.secret,
        attack=attack,
        num_people=len(names),
        chance=chance,
        average=interval_over_groups(
            lambda weights: balanced_mean(share, target, weights), of_class, seed=seed, limits=SHARE
        ),
        worst=float((np.bincount(person, right) / num_videos).max()),
        worst_by_luck=_best_by_luck(num_videos, chance, np.random.default_rng(seed)),
        by_group={
            str(name): interval_over_groups(
                mean_of(share_in_group[in_group == name]),
                of_group[in_group == name],
                seed=seed,
                limits=SHARE,
            )
            for name in np.unique(group)
        },
        pooled=_infer_pooled(answers, attack, person, seed=seed) if num_videos.max() > 1 else None,
    )


def _by_person(
    person: np.ndarray, kind: np.ndarray, right: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What is ``right`` (V,) of each person's videos of each kind: the person (M,), the kind (M,) and the share (M,).

    Somebody who wears a coat in some videos, and none in others, has a share of either.
    """
    kinds, number = np.unique(kind, return_inverse=True)
    pairs, place = np.unique(person * len(kinds) + number, return_inverse=True)
    return pairs // len(kinds), kinds[pairs % len(kinds)], np.bincount(place, right) / np.bincount(place)


def _infer_pooled(answers: SecretAnswers, attack: str, person: np.ndarray, *, seed: int) -> Interval | None:
    """The share of people guessed rightly from all of their videos, by the number of whose ``person`` (V,) is.

    Left out are people who have one value in some of their videos and another in others; None where these are all.
    """
    lowest, highest = np.full(person.max() + 1, len(answers.classes)), np.full(person.max() + 1, -1)
    np.minimum.at(lowest, person, answers.target)
    np.maximum.at(highest, person, answers.target)
    people = np.flatnonzero(lowest == highest)
    if len(people) == 0:
        return None
    evidence = np.zeros((person.max() + 1, len(answers.classes)))
    np.add.at(evidence, person, np.log(np.maximum(_rise(answers, attack), 1e-12)))
    right = _share_right(np.round(evidence, 9)[people], lowest[people])
    return interval_over_groups(
        lambda weights: balanced_mean(right, lowest[people], weights), people, seed=seed, limits=SHARE
    )


def right_by_rise(answers: SecretAnswers, attack: str) -> np.ndarray:
    """Whether each video's class (V,) is the one with the largest rise over its frequency."""
    return _share_right(np.round(_rise(answers, attack), 9), answers.target)


def _rise(answers: SecretAnswers, attack: str) -> np.ndarray:
    """How much likelier each class (V, C) is than it is frequent."""
    frequency = np.where(answers.frequency > 0, answers.frequency, np.inf)
    return answers.probabilities[attack] / frequency


def _share_right(evidence: np.ndarray, target: np.ndarray) -> np.ndarray:
    """Whether the class (N,) with the most evidence (N, C) is the right one; of equals each is named in turn."""
    named = evidence == evidence.max(axis=1, keepdims=True)
    return named[np.arange(len(named)), target] / named.sum(axis=1)


def balanced_mean(right: np.ndarray, target: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """The mean over classes of the mean of each class's people; NaN where a resample (R, P) lacks one."""
    classes = np.unique(target)
    means = np.full((len(classes), len(weights)), np.nan)
    for row, name in enumerate(classes):
        members = weights * (target == name)
        total = members.sum(axis=1)
        np.divide(members @ right, total, out=means[row], where=total > 0)
    return means.mean(axis=0)


def _best_by_luck(num_videos: np.ndarray, chance: float, random: np.random.Generator) -> float:
    """The share of right guesses for the luckiest person, on average, where everybody is guessed at."""
    guesses = random.binomial(num_videos, chance, size=(LUCK_DRAWS, len(num_videos))) / num_videos
    return float(guesses.max(axis=1).mean())
