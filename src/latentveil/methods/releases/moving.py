"""Windows moved by the groupings of a release, side by side or in turn, and the noise that hides the groups."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from latentveil.methods.releases.barycentre import References, find_references, likeness_noise
from latentveil.methods.releases.groups import STILLS, VIDEO, Groups
from latentveil.methods.releases.levelling import GroupSums, Levelling, fit_levelling
from latentveil.methods.releases.noise import LEVELS, LEVELS_OF_CLUSTERS, UNTRIED, NoiseNeeded, least_noise
from latentveil.methods.releases.settings import TransportSection
from latentveil.methods.releases.windows import MoveWindows, Windows

# By which a video may count as its own like, in the order in which they are tried.
OWN_SHARES = (1.0, 0.5, 0.0)
SumBehind = Callable[[Groups, MoveWindows], GroupSums]


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


def move_in_turn(
    windows: Windows,
    fitted: Sequence[FittedGrouping],
    section: TransportSection,
    *,
    sum_behind: SumBehind,
    random: np.random.Generator,
) -> Moved:
    """All windows moved by each of the groupings, which is fitted anew to what those before it leave; noise at the end.

    It is fitted to what they leave with the noise that they would need: without it likes are so near to each other that
    the draws alone would part the groups of a column that tells little. ``fitted`` are the groupings as if each were
    the first. ``sum_behind(groups, behind)`` gives the sums of the groups of all videos, of what ``behind`` makes of
    their windows.
    """
    done: list[FittedGrouping] = []
    shown = windows
    for one in fitted:
        if done:
            sums = sum_behind(one.groups, partial(_apply_in_turn, done))
            one = fit_grouping(shown, one.groups, sums, section, random=random)
        moved = move(shown, [one], section, random=random)
        done += moved.fitted
        noise = random.standard_normal((len(windows.names), len(moved.factor))) @ moved.factor.T
        shown = replace(shown, vector=moved.middle + moved.needed.level * noise[windows.video])
    middle = _apply_in_turn(done, windows.vector, windows.names[windows.video])
    first = done[0].groups.numbers(windows.names)[windows.video]
    factor = likeness_noise(middle, first, random=random)
    needed = _noise_needed(windows, done, middle, factor, section, random=random)
    return Moved(done, middle, factor, needed)


def _apply_in_turn(fitted: Sequence[FittedGrouping], vectors: np.ndarray, names: np.ndarray) -> np.ndarray:
    """The vectors (N, K) of the named videos (N,), moved by one grouping after the other, without noise."""
    for one in fitted:
        vectors = one.apply(vectors, one.groups.numbers(names))
    return vectors


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
        levels=LEVELS if section.groups != STILLS else LEVELS_OF_CLUSTERS,
        of_each=len(section.columns) > 1,
        narrowed=section.groups != STILLS,
        random=random,
    )
