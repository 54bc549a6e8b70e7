"""A release treated as a set: what the videos of a group have in common is replaced by what any group might have.

The publisher knows which videos belong together (one person, one recording), or clusters of stills tell. First every
group is levelled: its mean is replaced by a fresh draw, its covariance brought to the common one. Then every video
becomes the mean of its likes in all groups, and a little noise. No task is named, so none is favoured; what every group
does alike stays. Where several columns say what belongs together (the recording, the clothes), each is treated so in
what those before it leave. It is fitted on the very videos that are to be released; later ones join the group that they
look like, or are treated by themselves.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.methods.base import Method, Parts, TrainingData
from latentveil.methods.releases.adapter import build_adapter
from latentveil.methods.releases.groups import VIDEO, Groups, GroupsWanted, Looks, find_groupings
from latentveil.methods.releases.lengths import Portion, portions_of
from latentveil.methods.releases.moments import Contents, moving_axes, read_contents, still_looks
from latentveil.methods.releases.portions import FittedPortion, fit_portion
from latentveil.methods.releases.settings import TransportSection, TransportSettings
from latentveil.methods.releases.windows import Space, read_windows, sum_groups
from latentveil.types import STATIC, TEMPORAL


def fit(data: TrainingData, settings: TransportSettings, **_: object) -> Adapter:
    """A few passes over the videos, then the fit of each portion of them."""
    section = settings.transport
    parts = data.parts or partial(iter, [data.features])
    contents = read_contents(parts)
    groupings = _find_groupings(parts, contents, data.groups, settings)
    clips = contents.moments[TEMPORAL]
    space = Space(clips.mean, _find_axes(contents, section), 1)
    random = np.random.default_rng(None if section.secret else settings.train.seed)

    def fitted(portion: Portion) -> FittedPortion:
        """One after the other: of a portion that is fitted, its windows are not kept."""
        own = replace(space, window=portion.window)
        windows = read_windows(parts, own, portion.videos, groupings, random=random)
        behind = partial(sum_groups, parts, own, portion.videos)
        found = fit_portion(windows, own, groupings, section, sum_behind=behind, random=random)
        found.needed.warn(hide=section.hidden, which=portion.which)
        return found

    others, short = portions_of(contents.clips, groupings, window=section.window)
    return build_adapter(
        fitted(others),
        None if short is None else fitted(short),
        dim=data.features.dim,
        keep_key=section.groups != VIDEO,
    )


def _find_groupings(
    parts: Parts, contents: Contents, columns: dict[str, dict[str, str]], settings: TransportSettings
) -> list[Groups]:
    section, stills = settings.transport, contents.moments.get(STATIC)
    looks = None if stills is None else Looks.find(stills)
    return find_groupings(
        GroupsWanted(
            section.groups,
            section.columns,
            section.groups_of_stills,
            section.clusterings,
            seed=settings.train.seed,
        ),
        columns,
        looks,
        {} if looks is None else still_looks(parts, looks.mean, looks.axes),
        names=list(contents.clips),
    )


def _find_axes(contents: Contents, section: TransportSection) -> np.ndarray:
    """The axes (D, k) along which videos are moved."""
    clips, stills = contents.moments[TEMPORAL], contents.moments.get(STATIC)
    found = None
    if stills is not None and not section.by_variance:
        found = moving_axes(clips, stills, section.components)
    return clips.axes(section.components) if found is None else found


method = Method(
    name="transport",
    fit=fit,
    about="Each group of videos (a person, a recording, a cluster of looks) brought to the middle of all groups.",
    Settings=TransportSettings,
    keeps_motion=True,
    as_set=True,
)
