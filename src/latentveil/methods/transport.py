"""A release treated as a set: what the videos of a group have in common is replaced by what any group might have.

The publisher knows which videos belong together (one person, one recording), or clusters of stills tell. First every
group is levelled: its mean is replaced by a fresh draw, its covariance brought to the common one. Then every video
becomes the mean of its likes in all groups, and a little noise. No task is named, so none is favoured; what every group
does alike stays. It is fitted on the very videos that are to be released; later ones join the group that they look
like, or are treated by themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.config import Section, Settings
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.transport_adapter import FittedGrouping, Shared, build_adapter
from latentveil.methods.transport_barycentre import find_references, likeness_noise
from latentveil.methods.transport_groups import STILLS, VIDEO, Groups, GroupsWanted, Looks, find_groupings
from latentveil.methods.transport_levelling import GroupSums, fit_levelling
from latentveil.methods.transport_moments import moving_axes, read_contents, still_looks
from latentveil.methods.transport_noise import LEVELS, UNTRIED, NoiseNeeded, least_noise
from latentveil.methods.transport_windows import WHOLE_VIDEO, Space, Windows, read_windows
from latentveil.types import STATIC, TEMPORAL

HIDE = 0.9  # of what is told of the groups
HIDE_CLUSTERS = 0.75  # of looks: fine ones also part what people do, which is not to be hidden
MOST_NOISE, MOST_NOISE_OF_CLUSTERS = 2.0, 1.0  # in parts of how much likes differ, for the same reason
OWN_SHARES = (
    1.0,
    0.5,
    0.0,
)  # by which a video may count as its own like, in the order in which they are tried


class TransportSection(Section):
    """``groups`` is a column of the labels (person, recording, …), ``stills`` for clusters of looks, or ``video``.

    ``components`` are kept of each clip: those along which clips differ much and stills little, or with
    ``by_variance`` those along which clips differ the most (also where there are no stills, or clips say no more than
    they do). ``window`` clips are moved together (0: a whole video where none has more than four clips, else single
    clips). ``cov`` is the weight of a group's own covariance against the common one, ``strength`` how much more than
    the best guess of a group's offset goes, ``draw`` the size of the draws (0: none, which leaks; 1 would do if all
    videos of a group were independent). ``temperature`` says how unlike a video may be that counts as its like in
    another group, in parts of the typical distance (0: videos are levelled and not moved to the middle), ``noise`` how
    much of it is added in parts of how much likes differ (left out: as little as hides ``hide`` of what a quick
    attacker tells of the groups). ``own`` is how much a video counts as its own like (left out: as that attacker says;
    where ``noise`` is set, 1). ``clusterings`` of looks are made, the coarsest of ``groups_of_stills`` (0: the most
    stable number). ``secret`` draws come from the randomness of the system, so that nobody can repeat them; otherwise
    from the seed.
    """

    groups: str = STILLS
    components: int = Field(64, ge=1)
    by_variance: bool = False
    window: int = Field(0, ge=0)
    cov: float = Field(0.5, ge=0, le=1)
    strength: float = Field(4.0, gt=0)
    draw: float = Field(1.25, ge=0)
    temperature: float = Field(0.1, ge=0)
    noise: float | None = Field(None, ge=0)
    hide: float | None = Field(None, ge=0, le=1)
    own: float | None = Field(None, ge=0, le=1)
    groups_of_stills: int = Field(0, ge=0)
    clusterings: int = Field(4, ge=1)
    secret: bool = False

    @property
    def hidden(self) -> float:
        """The share that is set, or else the usual one of such groups."""
        if self.hide is not None:
            return self.hide
        return HIDE_CLUSTERS if self.groups == STILLS else HIDE


class TransportSettings(Settings):
    """The groups, the components, and both steps."""

    transport: TransportSection = TransportSection()

    def group_column(self) -> str | None:
        return None if self.transport.groups in (STILLS, VIDEO) else self.transport.groups


def fit(data: TrainingData, settings: TransportSettings, **_: object) -> Adapter:
    """A few passes over the videos, then the fit of each grouping."""
    section = settings.transport
    parts = data.parts or partial(iter, [data.features])
    contents = read_contents(parts)
    stills = contents.moments.get(STATIC)
    looks = None if stills is None else Looks.find(stills)
    groupings = find_groupings(
        GroupsWanted(section.groups, section.groups_of_stills, section.clusterings, seed=settings.train.seed),
        data.groups,
        looks,
        {} if looks is None else still_looks(parts, looks.mean, looks.axes),
        names=contents.videos,
    )
    clips = contents.moments[TEMPORAL]
    axes = None
    if stills is not None and not section.by_variance:
        axes = moving_axes(clips, stills, section.components)
    if axes is None:
        axes = clips.axes(section.components)
    window = section.window or (contents.longest if contents.longest <= WHOLE_VIDEO else 1)
    space = Space(clips.mean, axes, window)
    random = np.random.default_rng(None if section.secret else settings.train.seed)
    windows = read_windows(parts, space, contents.videos, groupings, random=random)
    fitted = [
        fit_grouping(windows, groups, sums, section, random=random)
        for groups, sums in zip(groupings, windows.sums)
    ]
    moved = move(windows, fitted, section, random=random)
    shared = _shared(space, moved, section)
    return build_adapter(shared, moved.fitted, dim=data.features.dim, keep_key=section.groups != VIDEO)


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
    best.needed.warn(hide=section.hidden)
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


def _shared(space: Space, moved: Moved, section: TransportSection) -> Shared:
    """The noise, as likes of different groups differ, and the draws that stand for stills, as clips are."""
    components = space.axes.shape[1]
    clips = moved.middle.reshape(-1, components)
    values, axes = np.linalg.eigh(np.cov(clips.T, bias=True).reshape(components, components))
    still_noise = np.zeros((components, space.size))
    still_noise[:, :components] = axes * np.sqrt(np.maximum(values, 0))
    return Shared(space, moved.factor * moved.needed.level, still_noise, section.strength, section.draw)


method = Method(
    name="transport",
    fit=fit,
    about="Each group of videos (a person, a recording, a cluster of looks) brought to the middle of all groups.",
    Settings=TransportSettings,
    keeps_motion=True,
    as_set=True,
)
