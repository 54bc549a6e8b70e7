"""One portion of a release, fitted: how its windows are levelled and moved, and how much noise hides the groups.

Portions share the components of clips and the groups, and nothing else: each is fitted, drawn for and tried by the
quick attacker as if its videos were the release. So the noise hides the groups within each, and between them, too: the
draws of a group in one portion are independent of those in the other, so whatever its short videos still share with its
long ones is part of what short ones share among themselves, and of what long ones do.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from latentveil.methods.transport_barycentre import References, find_references, likeness_noise
from latentveil.methods.transport_groups import STILLS, VIDEO, Groups
from latentveil.methods.transport_levelling import GroupSums, Levelling, fit_levelling
from latentveil.methods.transport_noise import LEVELS, UNTRIED, NoiseNeeded, least_noise
from latentveil.methods.transport_settings import MOST_NOISE, MOST_NOISE_OF_CLUSTERS, TransportSection
from latentveil.methods.transport_windows import Space, Windows

OWN_SHARES = (
    1.0,
    0.5,
    0.0,
)  # by which a video may count as its own like, in the order in which they are tried


@dataclass(frozen=True, eq=False)
class FittedGrouping:
    """One way to group the videos, and how they are levelled and moved to the middle."""

    groups: Groups
    levelling: Levelling
    references: References

    def apply(self, vectors: np.ndarray, group: np.ndarray) -> np.ndarray:
        """The vectors (N, K) of the groups ``group`` (N,), without noise."""
        return self.references.middle(self.levelling.apply(vectors, group))

    def counting_itself(self, own: float) -> FittedGrouping:
        """The same where a video counts as its own like by ``own``."""
        return replace(self, references=replace(self.references, own=own))


@dataclass(frozen=True, eq=False)
class FittedPortion:
    """How windows are moved: by their group, or of strangers by the map (K, K) of a video that belongs to none.

    ``needed`` says how much noise hides the groups. ``noise`` and ``stranger_noise`` (K, K) are the factors of the
    noise of either, ``still_noise`` (k, K) is that of what stands for a still, as clips are.
    """

    space: Space
    groupings: Sequence[FittedGrouping]
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
    random: np.random.Generator,
) -> FittedPortion:
    """Every grouping of the windows, then the noise that all of them need."""
    fitted = [
        fit_grouping(windows, groups, sums, section, random=random)
        for groups, sums in zip(groupings, windows.sums)
    ]
    moved = move(windows, fitted, section, random=random)
    stranger, noise = fitted[0].levelling.by_itself(strength=section.strength, draw=section.draw)
    return FittedPortion(
        space,
        moved.fitted,
        moved.needed,
        noise=moved.factor * moved.needed.level,
        stranger=stranger,
        stranger_noise=noise,
        still_noise=_like_clips(space, moved.middle),
    )


def fit_grouping(
    windows: Windows,
    groups: Groups,
    sums: GroupSums,
    section: TransportSection,
    *,
    random: np.random.Generator,
) -> FittedGrouping:
    """The levelling of one grouping, and the references of what is levelled."""
    of_video = groups.numbers(windows.names)
    levelling = fit_levelling(
        windows.video_means,
        of_video,
        sums,
        cov=section.cov,
        strength=section.strength,
        draw=section.draw,
        random=random,
    )
    group = of_video[windows.video]
    levelled = levelling.apply(windows.vector, group)
    references = find_references(levelled, group, temperature=section.temperature, random=random)
    return FittedGrouping(groups, levelling, references)


@dataclass(frozen=True, eq=False)
class Moved:
    """The windows (N, K) in the middle of all groups, the factor (K, K) of the noise, and how much of it is needed."""

    fitted: Sequence[FittedGrouping]
    middle: np.ndarray
    factor: np.ndarray
    needed: NoiseNeeded


def move(
    windows: Windows,
    fitted: Sequence[FittedGrouping],
    section: TransportSection,
    *,
    random: np.random.Generator,
) -> Moved:
    """All windows in the middle of the groups, each its own like as far as needs the least noise.

    A person's own way of doing things draws a group together, own likes keep it apart. Which of the two is stronger
    depends on the release, so the publisher's quick attacker says.
    """
    shares = OWN_SHARES if section.own is None else (section.own,)
    best = None  # no list of all that was tried: each holds every window of the release
    for own in shares:
        found = _move(windows, [one.counting_itself(own) for one in fitted], section, random=random)
        if best is None or found.needed.price < best.needed.price:
            best = found
        if section.noise is not None or best.needed.level == LEVELS[0]:
            break
    assert best is not None
    return best


def _move(
    windows: Windows,
    fitted: Sequence[FittedGrouping],
    section: TransportSection,
    *,
    random: np.random.Generator,
) -> Moved:
    groups = [one.groups.numbers(windows.names)[windows.video] for one in fitted]
    middle = np.mean([one.apply(windows.vector, group) for one, group in zip(fitted, groups)], axis=0)
    factor = likeness_noise(middle, groups[0], random=random)
    needed = _noise_needed(windows, fitted, middle, factor, section, random=random)
    return Moved(fitted, middle, factor, needed)


def _noise_needed(
    windows: Windows,
    fitted: Sequence[FittedGrouping],
    middle: np.ndarray,
    factor: np.ndarray,
    section: TransportSection,
    *,
    random: np.random.Generator,
) -> NoiseNeeded:
    """The noise that is set, or else as much as hides the groups; noise is drawn once per video."""
    if section.noise is not None:
        return NoiseNeeded(section.noise)
    if section.groups == VIDEO:
        return NoiseNeeded(UNTRIED)  # every video gets the noise of strangers instead
    return least_noise(
        windows.video_means,
        windows.mean_of_videos(middle),
        [one.groups.numbers(windows.names) for one in fitted],
        factor,
        hide=section.hidden,
        most=MOST_NOISE if section.groups != STILLS else MOST_NOISE_OF_CLUSTERS,
        random=random,
    )


def _like_clips(space: Space, middle: np.ndarray) -> np.ndarray:
    """The factor (k, K) of draws that are as the clips of ``middle`` (N, K) are."""
    components = space.axes.shape[1]
    clips = middle.reshape(-1, components)
    values, axes = np.linalg.eigh(np.cov(clips.T, bias=True).reshape(components, components))
    factor = np.zeros((components, space.size))
    factor[:, :components] = axes * np.sqrt(np.maximum(values, 0))
    return factor
