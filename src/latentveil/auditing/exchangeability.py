"""Whether the videos of a release can be told apart by group at all: a permutation test over several learners.

Where a group's videos are as independent of it as anybody's, it does not matter which video is given to which group.
So every learner's similarity of same-group pairs is compared with that under permuted groups, in both directions: less
alike than by chance is a leak too. Groups are permuted among videos of one stratum (an action, say): where everybody
shows every action equally often, two videos of one person are of the same action less often than any two.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.attacks.preprocess import principal_axes
from latentveil.errors import InputError

NUM_PERMUTATIONS = 499
MAX_PAIRS = 50_000
NUM_NEIGHBOURS = 5
# Share of the mean variance that is added before directions are given equal spread.
WHITENING_SHRINKAGE = 0.1
SIGNIFICANCE = 0.05


@dataclass(frozen=True)
class Exchange:
    """The p-value over all learners, the learner that tells most, and how many standard deviations each is off."""

    p_value: float
    learner: str
    scores: dict[str, float]


def exchangeability_test(
    feature: np.ndarray,
    group: np.ndarray,
    *,
    strata: np.ndarray | None = None,
    num_permutations: int = NUM_PERMUTATIONS,
    seed: int = 0,
) -> Exchange:
    """Test videos (V, D) of groups (V,), permuted within ``strata`` (V,) where given.

    The p-value counts the largest deviation of any learner, so that trying several does not inflate it.
    """
    random = np.random.default_rng(seed)
    first, second = _same_group_pairs(group, random)
    orders = [np.arange(len(group))]
    orders += [_permuted(len(group), strata, random) for _ in range(num_permutations)]
    found = {
        name: np.array([similarity[order[first], order[second]].mean() for order in orders])
        for name, similarity in _similarities(feature).items()
    }
    deviations = {}
    for name, means in found.items():
        spread = means.std()
        deviations[name] = (means - means.mean()) / (spread if spread > 0 else 1.0)
    largest = np.abs(np.stack(list(deviations.values()))).max(axis=0)  # (1 + permutations,)
    scores = {name: float(values[0]) for name, values in deviations.items()}
    p_value = float(np.mean(np.round(largest, 9) >= np.round(largest[0], 9)))
    return Exchange(p_value, max(scores, key=lambda name: abs(scores[name])), scores)


def power_against_offset(
    feature: np.ndarray,
    group: np.ndarray,
    *,
    size: float,
    strata: np.ndarray | None = None,
    num_trials: int = 10,
    num_permutations: int = 99,
    seed: int = 0,
) -> float:
    """How often the test finds a planted offset of each group, of ``size`` times the videos' distance from their mean.

    The groups are dealt anew before, so that nothing but what is planted can be found.
    """
    spread = float(np.sqrt(np.square(feature - feature.mean(axis=0)).sum(axis=1).mean()))
    names, number = np.unique(group, return_inverse=True)
    found = 0
    for trial in range(num_trials):
        random = np.random.default_rng([seed, trial])
        dealt = number[_permuted(len(group), strata, random)]
        offset = random.normal(size=(len(names), feature.shape[1]))
        offset *= size * spread / np.linalg.norm(offset, axis=1, keepdims=True)
        test = exchangeability_test(
            feature + offset[dealt], dealt, strata=strata, num_permutations=num_permutations, seed=trial
        )
        found += test.p_value < SIGNIFICANCE
    return found / num_trials


def _same_group_pairs(group: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Pairs of videos of one group, at most ``MAX_PAIRS``."""
    order = np.argsort(group, kind="stable")
    _, counts = np.unique(group, return_counts=True)
    parts = [
        np.stack(np.triu_indices(count, k=1)) + start
        for start, count in zip(np.cumsum(counts) - counts, counts)
    ]
    pairs = order[np.concatenate(parts, axis=1)]  # (2, pairs)
    if pairs.shape[1] == 0 or len(counts) < 2:
        raise InputError(
            f"groups must be two or more with two videos or more in some, got {len(counts)} of at most "
            f"{counts.max()} videos."
        )
    if pairs.shape[1] > MAX_PAIRS:
        pairs = pairs[:, random.choice(pairs.shape[1], MAX_PAIRS, replace=False)]
    return pairs[0], pairs[1]


def _permuted(length: int, strata: np.ndarray | None, random: np.random.Generator) -> np.ndarray:
    if strata is None:
        return random.permutation(length)
    order = np.empty(length, dtype=int)
    for name in np.unique(strata):
        members = np.flatnonzero(strata == name)
        order[members] = random.permutation(members)
    return order


def _similarities(feature: np.ndarray) -> dict[str, np.ndarray]:
    """What each learner takes for how alike two videos are, (V, V) float32 each."""
    rows = feature.astype(np.float64) - feature.mean(axis=0, dtype=np.float64)
    if not rows.any():
        return {"cosine": np.zeros((len(rows), len(rows)), dtype=np.float32)}
    principal = principal_axes(rows)
    floor = WHITENING_SHRINKAGE * principal.variance.mean()
    whitened = rows @ (principal.axes / np.sqrt(principal.variance + floor))
    plain, even = _cosines(rows), _cosines(whitened)
    spread = rows.std(axis=0)
    standardised = rows / np.where(spread > 0, spread, 1.0)
    power = np.square(rows).sum(axis=1)
    apart = np.maximum(power[:, None] + power[None] - 2 * (rows @ rows.T), 0)
    np.fill_diagonal(even, -np.inf)
    nearest = np.argpartition(-even, min(NUM_NEIGHBOURS, len(even) - 1), axis=1)[:, :NUM_NEIGHBOURS]
    is_near = np.zeros_like(even)
    np.put_along_axis(is_near, nearest, 1.0, axis=1)
    np.fill_diagonal(even, 1.0)
    return {
        "cosine": plain,
        "whitened cosine": even,
        # sees beside a few dimensions that are huge
        "standardised cosine": _cosines(standardised),
        "squared cosine": np.square(even),  # groups that differ in how their videos vary
        "closeness": np.exp(-apart / max(float(np.median(apart)), 1e-30)).astype(np.float32),
        "nearest videos": is_near + is_near.T,
    }


def _cosines(rows: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(rows, axis=1, keepdims=True)
    unit = (rows / np.where(length > 0, length, 1.0)).astype(np.float32)
    return unit @ unit.T
