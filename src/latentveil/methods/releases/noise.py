"""How much noise a release needs: the least with which a quick attacker hardly tells the groups any more.

The publisher knows the groups, and so can try the attack before anybody else does.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.methods.releases.quick_attacker import LEAST_VIDEOS, Attempt
from latentveil.notices import notify

LEVELS = (0.25, 0.35, 0.5, 0.7, 1.0, 1.4, 2.0)  # of noise, in parts of how much likes differ
# Of clusters of looks, of which fine ones also part what people do. They begin with the least of all levels, too.
LEVELS_OF_CLUSTERS = (0.25, 0.5, 1.0)
UNTRIED = 1.0  # where no two groups have videos enough to try
TOLD = 0.05  # above guessing: where raw features tell less, there is nothing to hide, and no more may be told later


@dataclass(frozen=True)
class NoiseNeeded:
    """The ``level`` of noise to add, the share of what was told that it hides, and whether that is enough.

    ``tried`` says whether the groups of every column, or any clusters, have videos enough to try.
    """

    level: float
    hidden: float = 1.0
    enough: bool = True
    tried: bool = True

    @property
    def price(self) -> tuple[bool, float]:
        """Smaller is better: noise that is not enough costs more than any that is."""
        return not self.enough, self.level

    def warn(self, *, hide: float, which: str = "") -> None:
        """Say that even the most noise does not hide as much as was wanted, and ``which`` videos these are."""
        of_which = f" of {which}" if which else ""
        if not self.tried:
            notify(
                f"groups{of_which} must be two or more with {LEAST_VIDEOS} videos or more in every column for a quick "
                f"attacker to try noise, got fewer: noise of {self.level:g} was taken without it. Look at the audit."
            )
        if self.enough:
            return
        if self.hidden >= hide:  # of what raw features tell: other groups are told by what was done to them
            notify(
                f"groups{of_which} that raw features do not tell must stay so with noise of at most {self.level:g}, "
                "got some that a quick attacker tells now. Leave their column out, or set transport.noise higher."
            )
        else:
            notify(
                f"transport.hide must be reached with noise of at most {self.level:g}, got "
                f"{max(self.hidden, 0):.1%} hidden of what a quick attacker tells of the groups{of_which}, "
                f"wanted {hide:.0%}. Set transport.noise higher, or look at the audit."
            )


def least_noise(
    raw: np.ndarray,
    middle: np.ndarray,
    groupings: Sequence[np.ndarray],
    factor: np.ndarray,
    *,
    hide: float,
    levels: Sequence[float] = LEVELS,
    of_each: bool = False,
    narrowed: bool = True,
    random: np.random.Generator,
) -> NoiseNeeded:
    """The least of ``levels`` at which ``hide`` of what is told of the groups is gone; the last where none will do.

    ``raw`` and ``middle`` (V, K) are the videos before and after, ``groupings`` the group (V,) of each in several ways,
    ``factor`` (K, K) that of the noise. The share is that of all groupings together, or ``of_each``: what is told of a
    weak one is soon less than what is told by luck, and then all of it counts as gone. Groups are told among a few
    suspects, also by pools, or where these are not ``narrowed``, of single videos among all groups.
    """
    tried = [Attempt.of(group, narrowed=narrowed) for group in groupings]
    attempts = [attempt for attempt in tried if attempt is not None]
    is_tried = len(attempts) == len(groupings) if of_each else bool(attempts)
    if not attempts:
        return NoiseNeeded(UNTRIED, tried=False)

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
    found = NoiseNeeded(levels[0])
    for level in levels:
        after = told(middle, level)
        hidden = float(1 - (after[asked] / before[asked]).max()) if asked.any() else 1.0
        found = NoiseNeeded(level, hidden, enough=bool((after <= allowed).all()), tried=is_tried)
        if found.enough:
            break
    return found
