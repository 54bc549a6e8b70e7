"""One portion of a release, fitted: how its windows are levelled and moved, and how much noise hides the groups.

Portions share the components of clips and the groups, and nothing else: each is fitted, drawn for and tried by the
quick attacker as if its videos were the release. So the noise hides the groups within each, and between them, too: the
draws of a group in one portion are independent of those in the other, so whatever its short videos still share with its
long ones is part of what short ones share among themselves, and of what long ones do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.methods.releases.axes import symmetric_root
from latentveil.methods.releases.groups import Groups
from latentveil.methods.releases.moving import FittedGrouping, SumBehind, fit_grouping, move, move_in_turn
from latentveil.methods.releases.noise import NoiseNeeded
from latentveil.methods.releases.settings import TransportSection
from latentveil.methods.releases.windows import Space, Windows


@dataclass(frozen=True, eq=False)
class FittedPortion:
    """How windows are moved: by their group, or of strangers by the map (K, K) of a video that belongs to none.

    ``groupings`` are done side by side, or ``in_turn``. ``needed`` says how much noise hides the groups. ``noise`` and
    ``stranger_noise`` (K, K) are the factors of the noise of either, ``still_noise`` (k, K) is that of what stands for
    a still, as clips are.
    """

    space: Space
    groupings: Sequence[FittedGrouping]
    in_turn: bool
    needed: NoiseNeeded
    noise: np.ndarray
    stranger: np.ndarray
    stranger_noise: np.ndarray
    still_noise: np.ndarray


def fit_portion(
    windows: Windows,
    space: Space,
    groupings: Sequence[Groups],
    section: TransportSection,
    *,
    sum_behind: SumBehind,
    random: np.random.Generator,
) -> FittedPortion:
    """Every grouping of the windows, then the noise that all of them need; ``sum_behind`` is for `move_in_turn`."""
    fitted = [
        fit_grouping(windows, groups, sums, section, random=random)
        for groups, sums in zip(groupings, windows.sums)
    ]
    strangers = [one.levelling.by_itself(strength=section.strength, draw=section.draw) for one in fitted]
    in_turn = len(section.columns) > 1
    if in_turn:
        moved = move_in_turn(windows, fitted, section, sum_behind=sum_behind, random=random)
    else:
        moved = move(windows, fitted, section, random=random)
    stranger, noise = _one_after_the_other(strangers if in_turn else strangers[:1])
    return FittedPortion(
        space,
        moved.fitted,
        in_turn,
        moved.needed,
        noise=moved.factor * moved.needed.level,
        stranger=stranger,
        stranger_noise=noise,
        still_noise=_like_clips(space, moved.middle),
    )


def _one_after_the_other(maps: Sequence[tuple[np.ndarray, np.ndarray]]) -> tuple[np.ndarray, np.ndarray]:
    """One map (K, K) for several that follow each other, and one factor (K, K) for the noise that each adds."""
    (whole, factor), *later = maps
    for one, noise in later:
        whole = whole @ one
        factor = symmetric_root(one.T @ factor @ factor.T @ one + noise @ noise.T)
    return whole, factor


def _like_clips(space: Space, middle: np.ndarray) -> np.ndarray:
    """The factor (k, K) of draws that are as the clips of ``middle`` (N, K) are."""
    components = space.axes.shape[1]
    clips = middle.reshape(-1, components)
    factor = np.zeros((components, space.size))
    factor[:, :components] = symmetric_root(np.cov(clips.T, bias=True).reshape(components, components))
    return factor
