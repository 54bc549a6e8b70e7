"""What tells a secret and is changed by no adapter: the names of videos, and how many clips they have."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.labels import IDENTITY, Labels
from latentveil.report.words import plain
from latentveil.results.audit import Flag
from latentveil.store.renaming import NewNames
from latentveil.types import FeatureSet

# A secret is given away where it is told this share of the way from guessing to certainty, and farther than by any of
# so many deals of it that mean nothing.
LEAST_TOLD = 0.1
DEALS = 50
MAX_VIDEOS = 2_000  # that are looked at, drawn by the seed


@dataclass(frozen=True, eq=False)
class _Giveaway:
    """A kind of signs by which a secret may be told: each has a name, and a value (V,) for every video."""

    flag: str
    what: str
    what_to_do: str
    signs: Mapping[str, np.ndarray]


def flag_giveaways(
    features: FeatureSet,
    labels: Labels,
    secrets: Sequence[str],
    *,
    seed: int,
    names: NewNames | None = None,
) -> list[Flag]:
    """A flag for each secret that the names of videos tell, and for each that their numbers of clips tell.

    ``names`` are those that the videos go by where they are others than here.
    """
    if len(labels.video) > MAX_VIDEOS:
        drawn = np.random.default_rng(seed).choice(labels.video, MAX_VIDEOS, replace=False)
        labels = labels.only(np.sort(drawn))
    flags = []
    for secret in secrets:
        for one in _giveaways(features, labels, names):
            told = {name: _told(sign, labels, secret, seed=seed) for name, sign in one.signs.items()}
            best = max(told, key=lambda name: told[name], default=None)
            if best is not None and told[best] > 0:
                why = (
                    f"{plain(secret).capitalize()}: {one.what}. {best.capitalize()} alone is {told[best]:.0%} of the "
                    "way from guessing to certainty. No adapter changes that, and no attack here looks at it: "
                    f"{one.what_to_do}."
                )
                flags.append(Flag(one.flag, why))
    return flags


def _giveaways(features: FeatureSet, labels: Labels, names: NewNames | None) -> Iterator[_Giveaway]:
    videos = labels.video.tolist()
    yield _Giveaway(
        "told_by_names",
        "the names of videos tell it",
        "give videos other names before they are released (`veil export --rename`)",
        dict(_parts_of_names(videos if names is None else [names[video] for video in videos])),
    )
    number = dict(zip(*np.unique(features.video, return_counts=True)))
    yield _Giveaway(
        "told_by_length",
        "how many clips a video has tells it",
        "release as many clips of every video, if this matters",
        {"the number of clips": np.array([number.get(video, 0) for video in labels.video])},
    )


def _parts_of_names(names: Sequence[str]) -> Iterator[tuple[str, np.ndarray]]:
    """The first, second … part (V,) of each name, where these are not the same in all of them."""
    parts = [re.findall(r"[^\W_]+", name) for name in names]
    for place in range(max(map(len, parts), default=0)):
        values = np.array([part[place] if place < len(part) else "" for part in parts])
        if len(np.unique(values)) > 1:
            yield f"part {place + 1} of the name", values


def _told(sign: np.ndarray, labels: Labels, secret: str, *, seed: int) -> float:
    """How far a ``sign`` (V,) tells a secret, from 0 (guessing) to 1; 0 where that is little, or luck.

    Whoever knows the other videos names the most frequent class among those of the same sign. The others are those of
    other people, unless it is asked who somebody is. Every class counts the same.
    """
    known = labels.column(secret) != ""
    target = np.unique(labels.column(secret)[known], return_inverse=True)[1]
    if not target.any():
        return 0.0
    owner = np.arange(len(target))
    if labels.person is not None and secret not in (IDENTITY, "person"):
        owner = np.unique(labels.person[known], return_inverse=True)[1]
    sign = np.unique(sign[known], return_inverse=True)[1]
    found = _share_right(sign, target, owner)
    if found <= LEAST_TOLD:
        return 0.0
    random = np.random.default_rng(seed)
    of_owner = target[np.unique(owner, return_index=True)[1]]
    luck = max(_share_right(sign, random.permutation(of_owner)[owner], owner) for _ in range(DEALS))
    return found if found > luck else 0.0


def _share_right(sign: np.ndarray, target: np.ndarray, owner: np.ndarray) -> float:
    """The share of videos that are named rightly above guessing, by ``sign``, ``target`` and ``owner`` (V,)."""
    num_classes = int(target.max()) + 1
    of_sign = np.zeros((int(sign.max()) + 1, num_classes))
    np.add.at(of_sign, (sign, target), 1)
    pair = np.unique(sign * (owner.max() + 1) + owner, return_inverse=True)[1]
    own = np.zeros((int(pair.max()) + 1, num_classes))
    np.add.at(own, (pair, target), 1)
    others = of_sign[sign] - own[pair]  # (V, C)
    best = others == others.max(axis=1, keepdims=True)
    right = best[np.arange(len(target)), target] / best.sum(axis=1)  # of equals each is named in turn
    size = np.bincount(target)
    by_class = np.bincount(target, right)[size > 0] / size[size > 0]
    return (float(by_class.mean()) - 1 / num_classes) / (1 - 1 / num_classes)
