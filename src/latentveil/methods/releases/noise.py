"""How much noise a release needs: the least with which a quick attacker hardly tells the groups any more.

The publisher knows the groups, and so can try the attack before anybody else does: whoever knows most of the videos
names the group of the others by the nearest video, the nearest mean or the directions in which the videos of a group
differ; by the last two also turned round. What levelling takes from a group is fitted to its own videos, so each of
them is left with less than others have in the directions of the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latentveil.methods.releases.levelling import group_means
from latentveil.notices import notify

LEVELS = (0.25, 0.5, 1.0, 2.0)  # of noise, in parts of how much likes differ
UNTRIED = 1.0  # where no two groups have videos enough to try
LEAST_VIDEOS = 4  # of a group that is tried
FOLDS = 4  # each of which is named by whoever knows the others
DRAWS = 2  # of the noise and of the folds, over which the answers are averaged
DEALS = 3  # of groups that mean nothing: what is told of them is luck
SHRINKAGE = 0.1  # of the covariance within groups, towards a multiple of the identity
TOLD = 0.05  # above guessing: where raw features tell less, there is nothing to hide, and no more may be told later


@dataclass(frozen=True, eq=False)
class Attempt:
    """Videos (V, K) whose ``group`` (V,) is to be told, those with videos enough, numbered from 0."""

    group: np.ndarray
    chosen: np.ndarray

    @classmethod
    def of(cls, group: np.ndarray) -> Attempt | None:
        """None where fewer than two groups have videos enough."""
        names, counts = np.unique(group, return_counts=True)
        chosen = np.isin(group, names[counts >= LEAST_VIDEOS])
        found = np.unique(group[chosen], return_inverse=True)[1]
        return cls(found, chosen) if len(found) and found.max() > 0 else None

    def by_luck(self, videos: np.ndarray, factor: np.ndarray, *, random: np.random.Generator) -> float:
        """The most that is told of groups that are dealt anew, which mean nothing."""
        deals = [replace(self, group=random.permutation(self.group)) for _ in range(DEALS)]
        return max(deal.told(videos, factor, random=random) for deal in deals)

    @property
    def chance(self) -> float:
        return 1 / (int(self.group.max()) + 1)

    def told(self, videos: np.ndarray, factor: np.ndarray, *, random: np.random.Generator) -> float:
        """The share of groups told above chance from the videos (V, K) with noise of the ``factor`` (K, R)."""
        shares = []
        for _ in range(DRAWS):
            noise = random.standard_normal((len(self.group), factor.shape[1])) @ factor.T
            shown = videos[self.chosen] + noise
            fold = _folds(self.group, random)
            shares += [named(shown, self.group, known=fold != one) for one in range(FOLDS)]
        return max(0.0, float(np.mean(shares, axis=0).max()) - self.chance)


@dataclass(frozen=True)
class NoiseNeeded:
    """The ``level`` of noise to add, the share of what was told that it hides, and whether that is enough."""

    level: float
    hidden: float = 1.0
    enough: bool = True

    @property
    def price(self) -> tuple[bool, float]:
        """Smaller is better: noise that is not enough costs more than any that is."""
        return not self.enough, self.level

    def warn(self, *, hide: float, which: str = "") -> None:
        """Say that even the most noise does not hide as much as was wanted, and ``which`` videos these are."""
        of_which = f" of {which}" if which else ""
        if self.enough:
            return
        if self.hidden >= hide:  # of what raw features tell: other groups are told by what was done to them
            notify(
                f"groups{of_which} that raw features do not tell must stay so with noise of at most {self.level:g}, "
                "got some that a quick attacker tells now. Leave their column out, or set transport.noise higher."
            )
        else:
            notify(
                f"transport.hide must be reached with noise of at most {self.level:g}, got {self.hidden:.0%} hidden of "
                f"what a quick attacker tells of the groups{of_which}, wanted {hide:.0%}. Set transport.noise higher, "
                "or look at the audit."
            )


def least_noise(
    raw: np.ndarray,
    middle: np.ndarray,
    groupings: Sequence[np.ndarray],
    factor: np.ndarray,
    *,
    hide: float,
    most: float = LEVELS[-1],
    of_each: bool = False,
    random: np.random.Generator,
) -> NoiseNeeded:
    """The least of ``LEVELS`` at which ``hide`` of what is told of the groups is gone; ``most`` where none will do.

    ``raw`` and ``middle`` (V, K) are the videos before and after, ``groupings`` the group (V,) of each in several ways,
    ``factor`` (K, K) that of the noise. The share is that of all groupings together, or ``of_each``: what is told of a
    weak one is soon less than what is told by luck, and then all of it counts as gone.
    """
    attempts = [attempt for attempt in map(Attempt.of, groupings) if attempt is not None]
    if not attempts:
        return NoiseNeeded(UNTRIED)

    def told(videos: np.ndarray, level: float) -> np.ndarray:
        """Of each grouping, or (1,) of all."""
        found = np.array([attempt.told(videos, level * factor, random=random) for attempt in attempts])
        if not of_each:
            return found.mean(keepdims=True)
        luck = [attempt.by_luck(videos, level * factor, random=random) for attempt in attempts]
        return np.where(found > luck, found, 0)

    before = told(raw, 0.0)
    asked = before >= TOLD
    allowed = np.where(asked, (1 - hide) * before, TOLD)
    found = NoiseNeeded(LEVELS[0])
    for level in LEVELS:
        if level > most:
            break
        after = told(middle, level)
        hidden = float(1 - (after[asked] / before[asked]).max()) if asked.any() else 1.0
        found = NoiseNeeded(level, hidden, enough=bool((after <= allowed).all()))
        if found.enough:
            break
    return found


def _folds(group: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """The fold of each video (V,), about as many of each in every group."""
    order = random.permutation(len(group))
    order = order[np.argsort(group[order], kind="stable")]
    fold = np.empty(len(group), dtype=np.int64)
    fold[order] = np.arange(len(group)) % FOLDS
    return fold


def named(videos: np.ndarray, group: np.ndarray, *, known: np.ndarray) -> np.ndarray:
    """The share of unknown videos (V, K) whose ``group`` (V,) is named rightly, a mean over groups, in six ways (6,).

    By the nearest video, and, where videos of a group have about variance 1, by the nearest video, the nearest and the
    farthest mean, and by the group along whose directions the video has the least, and the most.
    """
    count = int(group.max()) + 1
    rest = videos[known] - group_means(videos[known], group[known], count)[group[known]]
    within = rest.T @ rest / len(rest)
    within += (SHRINKAGE * np.trace(within) / len(within) + np.finfo(np.float64).tiny) * np.eye(len(within))
    values, axes = np.linalg.eigh(within)
    whiten = axes / np.sqrt(values)
    white = videos @ whiten
    to_means = _distances(white[~known], group_means(white[known], group[known], count))
    along = shares_along(white[~known] - white[known].mean(axis=0), rest @ whiten, group[known], count)
    guesses = [
        group[known][_distances(shown[~known], shown[known]).argmin(axis=1)] for shown in (videos, white)
    ]
    for scores in (to_means, along):
        guesses += [scores.argmin(axis=1), scores.argmax(axis=1)]
    asked = group[~known]
    size = np.maximum(np.bincount(asked, minlength=count), 1)
    return np.array(
        [(np.bincount(asked, guess == asked, minlength=count) / size).mean() for guess in guesses]
    )


def shares_along(videos: np.ndarray, rest: np.ndarray, group: np.ndarray, count: int) -> np.ndarray:
    """The share (N, count) of the videos (N, K) that lies along the ``rest`` (M, K) of each ``group`` (M,)."""
    is_own = np.eye(count)[group]  # (M, count)
    size = np.square(rest).sum(axis=1) @ is_own
    return np.square(videos @ rest.T) @ is_own / np.maximum(size, np.finfo(np.float64).tiny)


def _distances(videos: np.ndarray, others: np.ndarray) -> np.ndarray:
    """Squared distances (N, M) between rows (N, K) and (M, K), but for what is the same along a row."""
    return np.square(others).sum(axis=1) - 2 * videos @ others.T
