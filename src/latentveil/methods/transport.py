"""A release treated as a set: what the videos of a group have in common is replaced by what any group might have.

The publisher knows which videos belong together (one person, one recording), or clusters of stills tell. Level one
takes each group's mean away, brings its covariance to the common one, and puts a fresh draw in place of the mean. Level
two does the same to the groups' means within clusters of like motion. No task is named, so none is favoured; what
every group does alike stays. It is fitted on the very videos that are to be released; later ones join the
group that they look like, or are treated by themselves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from pydantic import Field

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.transport import TransportNetwork, hash_of
from latentveil.adapters.transport_kind import KindTransport
from latentveil.config import Section, Settings
from latentveil.errors import InputError
from latentveil.methods.base import Method, TrainingData
from latentveil.methods.transport_groups import STILLS, VIDEO, Groups, GroupsWanted, Looks, find_groups
from latentveil.methods.transport_levels import (
    LevelOne,
    LevelTwo,
    fit_level_one,
    fit_level_two,
    group_means,
)
from latentveil.methods.transport_moments import (
    VideoVectors,
    parts_of,
    read_moments,
    read_vectors,
    still_looks,
)
from latentveil.types import STATIC, TEMPORAL


class TransportSection(Section):
    """``groups`` is a column of the labels (person, recording, …), ``stills`` for clusters of looks, or ``video``.

    ``components`` are kept, for each of at most ``phases`` parts of a video. ``cov`` is the weight of a group's own
    covariance against the common one, ``strength`` how much more than the best guess of a group's offset goes,
    ``clusters`` the number of motion clusters of level two (0: no level two), ``rounds`` how often other clusters of
    what is left are found and levelled, ``draw`` the size of the draws (0: none, which leaks), and
    ``groups_of_stills`` the number of clusters of looks (0: the most stable one). ``secret`` draws come from the
    randomness of the system, so that nobody can repeat them; otherwise from the seed.
    """

    groups: str = STILLS
    components: int = Field(64, ge=1)
    phases: int = Field(4, ge=1)
    cov: float = Field(0.5, ge=0, le=1)
    strength: float = Field(4.0, gt=0)
    clusters: int = Field(12, ge=0)
    rounds: int = Field(2, ge=1)
    draw: float = Field(1.0, ge=0)
    groups_of_stills: int = Field(0, ge=0)
    secret: bool = False


class TransportSettings(Settings):
    """The groups, the components and both levels."""

    transport: TransportSection = TransportSection()

    def group_column(self) -> str | None:
        return None if self.transport.groups in (STILLS, VIDEO) else self.transport.groups


@dataclass(frozen=True, eq=False)
class Fitted:
    """Level one and the rounds of level two for the vectors of one kind of clips."""

    vectors: VideoVectors
    one: LevelOne
    rounds: list[LevelTwo]


def fit(data: TrainingData, settings: TransportSettings, **_: object) -> Adapter:
    """Two passes over the release (or the training videos), then both levels for clips and for stills."""
    section = settings.transport
    parts = parts_of(data.features if data.release is None else data.release)
    moments, longest = read_moments(parts)
    if TEMPORAL not in moments:
        raise InputError("features must have clips, got stills alone or nothing. Extract clips, too.")
    phases = min(section.phases, longest)
    vectors = read_vectors(parts, moments, components=section.components, phases=phases)
    looks = Looks.find(moments[STATIC]) if STATIC in moments else None
    seen = still_looks(parts, looks.mean, looks.axes) if looks is not None else {}
    groups = find_groups(
        GroupsWanted(section.groups, section.groups_of_stills, seed=settings.train.seed),
        data.groups,
        looks,
        seen,
        names=vectors[TEMPORAL].video,
    )
    random = np.random.default_rng(None if section.secret else settings.train.seed)
    found = {kind: _fit_kind(vectors[kind], groups, section, random) for kind in vectors}
    return _adapter(found, groups, section, dim=data.features.dim, keep_key=section.groups != VIDEO)


def _fit_kind(
    vectors: VideoVectors, groups: Groups, section: TransportSection, random: np.random.Generator
) -> Fitted:
    names, video = np.unique(vectors.video, return_inverse=True)
    used, of_video = np.unique(
        groups.numbers(names), return_inverse=True
    )  # a group may have none of this kind
    means, group = group_means(vectors.vector, video, len(names)), of_video[video]
    strength, draw = section.strength, section.draw
    one = fit_level_one(means, of_video, cov=section.cov, strength=strength, draw=draw, random=random)
    moved = one.apply(vectors.vector, group)
    rounds = []
    for _ in range(section.rounds if section.clusters else 0):
        two = fit_level_two(
            moved,
            group,
            video=video,
            clusters=section.clusters,
            strength=strength,
            draw=draw,
            random=random,
        )
        moved = two.apply(moved, group)
        rounds.append(two)
    return _spread(Fitted(vectors, one, rounds), used, groups.count)


def _spread(found: Fitted, used: np.ndarray, count: int) -> Fitted:
    """The same with a place for each of ``count`` groups; those without videos are put to the common mean."""
    one = found.one
    means, placed = np.tile(one.common, (count, 1)), np.tile(one.common, (count, 1))
    means[used], placed[used] = one.means, one.placed
    map_of_group = np.zeros(count, dtype=np.int64)
    map_of_group[used] = one.map_of_group
    rounds = []
    for two in found.rounds:
        added = np.zeros((count, *two.added.shape[1:]))
        added[used] = two.added
        rounds.append(LevelTwo(two.centres, added))
    whole = LevelOne(one.common, one.spectrum, means, one.maps, map_of_group, placed)
    return Fitted(found.vectors, whole, rounds)


def _adapter(
    found: dict[str, Fitted], groups: Groups, section: TransportSection, *, dim: int, keep_key: bool
) -> Adapter:
    clips, stills = found[TEMPORAL], found.get(STATIC)
    key = {}
    if keep_key:
        key = {
            "groups": groups.count,
            "maps": len(clips.one.maps),
            "rounds": len(clips.rounds),
            "clusters": len(clips.rounds[0].centres) if clips.rounds else 0,
            "still_maps": len(stills.one.maps) if stills else 0,
            "still_clusters": len(stills.rounds[0].centres) if stills and stills.rounds else 0,
            "videos": len(groups.of_video),
            "look_axes": groups.centres.shape[1],
        }
    factor = stranger_noise(clips, strength=section.strength) * section.draw
    adapter = Adapter(
        dim=dim,
        architecture="transport",
        noise_rank=factor.shape[1],
        noise_per="video",
        components=clips.vectors.axes.shape[1],
        phases=clips.vectors.phases,
        still_components=stills.vectors.axes.shape[1] if stills else 0,
        **key,
    )
    network = adapter.network
    assert isinstance(network, TransportNetwork)
    for kind, part in ((clips, network.clips), (stills, network.stills)):
        if kind is not None:
            _fill(part, kind, strength=section.strength, keep_key=keep_key)
    if keep_key:
        _fill_key(network, groups)
    adapter.noise_factor.copy_(torch.as_tensor(factor))
    return adapter.eval()


def _fill(part: KindTransport, found: Fitted, *, strength: float, keep_key: bool) -> None:
    """What all share, and the parts of the groups."""
    spectrum = found.one.spectrum
    gone, _ = spectrum.shares(1.0, strength=strength)
    values = {
        "mean": found.vectors.mean,
        "axes": found.vectors.axes,
        "centre": found.one.common,
        "stranger": spectrum.whiten * (1 - gone) @ spectrum.colour,
    }
    if keep_key:
        values |= {
            "group_mean": found.one.means,
            "map_of_group": found.one.map_of_group,
            "maps": found.one.maps,
            "placed": found.one.placed,
        }
        if found.rounds:
            values["cluster_centres"] = np.stack([two.centres for two in found.rounds])
            values["added"] = np.stack([two.added for two in found.rounds])
    for name, value in values.items():
        getattr(part, name).copy_(torch.as_tensor(value))


def _fill_key(network: TransportNetwork, groups: Groups) -> None:
    hashes = np.array([hash_of(video) for video in groups.of_video])
    order = np.argsort(hashes)
    network.videos.copy_(torch.as_tensor(hashes[order]))
    network.group_of_video.copy_(torch.as_tensor(np.array(list(groups.of_video.values()))[order]))
    if groups.looks is not None:
        network.look_mean.copy_(torch.as_tensor(groups.looks.mean))
        network.look_axes.copy_(torch.as_tensor(groups.looks.axes))
        network.look_centres.copy_(torch.as_tensor(groups.centres))
        network.look_radius.copy_(torch.as_tensor(groups.radius))


def stranger_noise(found: Fitted, *, strength: float) -> np.ndarray:
    """The factor (D, k) of noise for a video that is treated by itself, the same for all of its phases."""
    spectrum, phases = found.one.spectrum, found.vectors.phases
    _, variance = spectrum.shares(1.0, strength=strength)
    covariance = spectrum.colour.T * variance @ spectrum.colour  # (P k, P k)
    size = len(covariance) // phases
    mean = covariance.reshape(phases, size, phases, size).mean(axis=(0, 2))  # of the mean over phases
    values, axes = np.linalg.eigh(mean)
    return found.vectors.axes @ (axes * np.sqrt(np.maximum(values, 0)))


method = Method(
    name="transport",
    fit=fit,
    about="Each group of videos (a person, a recording, a cluster of looks) brought to what any group might be.",
    Settings=TransportSettings,
    keeps_motion=True,
    as_set=True,
)
