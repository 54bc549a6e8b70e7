"""Samples for audits of very many clips: attacks learn from a stated number of them, drawn with the audit's seed."""

from __future__ import annotations

import numpy as np

from latentveil.labels import Labels
from latentveil.results.audit import Flag

# From more clips than these an attack learns little more, and the time and memory of an audit would have no bound.
# Every video is answered for, however many clips there are.
MAX_TRAINING_CLIPS = 15_000
MAX_VALIDATION_CLIPS = 5_000
# Singling out and linkability compare every video with every other.
MAX_COMPARED_VIDEOS = 6_000


def sample_clips(video: np.ndarray, limit: int, *, seed: int) -> np.ndarray:
    """Rows, rising, of at most ``limit`` clips of the videos (N,): one of every video before a second of any."""
    if len(video) <= limit:
        return np.arange(len(video))
    shuffled = np.random.default_rng(seed).permutation(len(video))
    in_order = shuffled[np.argsort(video[shuffled], kind="stable")]
    _, starts, counts = np.unique(video[in_order], return_index=True, return_counts=True)
    turn = np.empty(len(video), dtype=int)  # how many clips of the same video were dealt before
    turn[in_order] = np.arange(len(video)) - np.repeat(starts, counts)
    return np.sort(shuffled[np.argsort(turn[shuffled], kind="stable")[:limit]])


def sample_people(
    labels: Labels, *, limit: int = MAX_COMPARED_VIDEOS, seed: int
) -> tuple[Labels, list[Flag]]:
    """Labels of at most ``limit`` videos: all videos of people drawn one after the other; and a flag that says so."""
    if labels.person is None or len(labels.video) <= limit:
        return labels, []
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
