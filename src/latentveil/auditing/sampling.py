"""Samples for audits of very many clips: the videos that are read, the clips that attacks learn from, both by seed."""

from __future__ import annotations

import numpy as np

from latentveil.arrays import number_in_group
from latentveil.labels import Labels
from latentveil.results.audit import Flag
from latentveil.store import FeatureStore
from latentveil.store.sample import NUMBER_BYTES
from latentveil.store.sources import Features

# From more clips than these an attack learns little more, and the time and memory of an audit would have no bound.
# Every video that was read is answered for, however many clips there are.
MAX_TRAINING_CLIPS = 15_000
MAX_VALIDATION_CLIPS = 5_000
# Singling out and linkability compare every video with every other.
MAX_COMPARED_VIDEOS = 6_000
# An audit reads at most this much, as float32, of the raw and of the anonymized features: it takes about ten times as
# much memory, and a few thousand videos tell what leaks.
MOST_BYTES = 200 << 20
# The same where the attacker holds the adapter and draws the noise anew, since every copy takes as much again.
MOST_BYTES_IF_REDRAWN = 100 << 20
# How many videos of a person are drawn before any of the next: fewer would not tell which videos show one person.
VIDEOS_IN_TURN = 16


def sample_videos(
    labels: Labels, features: Features, *, redrawn: bool = False, seed: int
) -> tuple[Labels, list[Flag]]:
    """Labels of as many videos as an audit reads, and a flag that says so where these are not all.

    People are drawn one after the other, each with ``VIDEOS_IN_TURN`` videos; where all have had their turn and there
    is room, they have another. Without people, videos are drawn. Fewer are read where copies are to be ``redrawn``.
    """
    room = (MOST_BYTES_IF_REDRAWN if redrawn else MOST_BYTES) // (NUMBER_BYTES * features.dim)
    if not isinstance(features, FeatureStore) or len(features) <= room:
        return labels, []
    clips = np.array([features.num_clips(video) for video in labels.video.tolist()])  # (V,)
    if clips.sum() <= room:
        return labels, []
    order = _in_turns(labels.groups, np.random.default_rng(seed))
    count = max(1, int(np.searchsorted(np.cumsum(clips[order]), room, side="right")))
    chosen = labels.only(labels.video[np.sort(order[:count])])
    people = "" if labels.person is None else f", of {_num_people(chosen)} of {_num_people(labels)} people,"
    why = (
        f"{count:,} of {len(labels.video):,} videos ({int(clips[order[:count]].sum()):,} of {int(clips.sum()):,} clips)"
        f"{people} were read, drawn with seed {seed}: more would not fit into memory. Intervals are those of the "
        "sample."
    )
    return chosen, [Flag("audit_of_a_sample", why)]


def _in_turns(group: np.ndarray, random: np.random.Generator) -> np.ndarray:
    """An order of videos (V,) by groups in a drawn order, VIDEOS_IN_TURN of a group at a time."""
    _, number = np.unique(group, return_inverse=True)
    place = random.permutation(int(number.max()) + 1)[number]
    shuffled = random.permutation(len(group))
    by_group = shuffled[np.argsort(place[shuffled], kind="stable")]
    turn = number_in_group(place[by_group]) // VIDEOS_IN_TURN
    return by_group[np.argsort(turn, kind="stable")]


def _num_people(labels: Labels) -> int:
    return len(set(labels.person.tolist()) - {""}) if labels.person is not None else 0


def sample_clips(video: np.ndarray, limit: int, *, seed: int) -> np.ndarray:
    """The rows, sorted, of at most ``limit`` clips of videos (N,): one of every video before a second of any."""
    if len(video) <= limit:
        return np.arange(len(video))
    shuffled = np.random.default_rng(seed).permutation(len(video))
    return np.sort(shuffled[np.argsort(number_in_group(video[shuffled]), kind="stable")[:limit]])


def sample_people(
    labels: Labels, *, limit: int = MAX_COMPARED_VIDEOS, seed: int
) -> tuple[Labels, list[Flag]]:
    """Labels of at most ``limit`` videos of named people, drawn one after the other with all of their videos.

    A flag says so. Where there are no more than that, all labels are given back, those of nobody included.
    """
    if labels.person is None:
        return labels, []
    named = labels.only(labels.video[labels.person != ""])
    if len(named.video) <= limit:
        return labels, []
    labels = named
    assert labels.person is not None
    people = np.unique(labels.person)
    place = np.empty(len(people), dtype=int)
    place[np.random.default_rng(seed).permutation(len(people))] = np.arange(len(people))
    order = np.argsort(place[np.searchsorted(people, labels.person)], kind="stable")
    chosen = labels.only(labels.video[np.sort(order[:limit])])
    assert chosen.person is not None
    why = (
        f"Singling out and linkability were measured on {len(chosen.video)} of {len(labels.video)} videos, of "
        f"{len(np.unique(chosen.person))} of {len(people)} people, drawn with seed {seed}: all of them would take too "
        "long to compare."
    )
    return chosen, [Flag("risks_on_a_sample", why)]


def clips_flag(num_known: int, num_learned: int, *, what: str, seed: int) -> Flag | None:
    """Says that attacks learned from fewer clips than they could have."""
    if num_learned >= num_known:
        return None
    why = (
        f"Attacks on {what} learned from {num_learned} of {num_known} clips, drawn with seed {seed}, one of every "
        "video before a second of any. An attacker with time could learn from all of them."
    )
    return Flag("attacks_on_a_sample", why)
