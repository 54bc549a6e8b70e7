"""The labels of a store's videos, and how well the two fit together."""

from __future__ import annotations

from pathlib import Path

from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.store import FeatureStore


def read_labels(path: str | Path, store: FeatureStore) -> Labels:
    """The rows of a labels CSV whose videos are in ``store``; there must be some."""
    return labels_of_store(Labels.read(path), store, name=path)


def labels_of_store(labels: Labels, store: FeatureStore, *, name: str | Path = "labels") -> Labels:
    """The labels of the videos in ``store``; there must be some. ``name`` is what to call them if not."""
    known = labels.only(store.videos)
    if not len(known.video):
        raise InputError(
            f"{name} must name videos of the store {store.path}, such as {store.videos[0]!r}, got others, such as "
            f"{str(labels.video[0])!r}. Write the keys of the store in the column video."
        )
    return known


def coverage_in_words(path: str | Path, store: str | Path) -> str | None:
    """How many videos are in one of labels and store only, or None where both name the same."""
    named, stored = set(Labels.read(path).video.tolist()), set(FeatureStore(store).videos)
    if named == stored:
        return None
    return (
        f"{len(named & stored)} of {len(stored)} videos of {store} have labels; the others are left out. "
        f"{len(named - stored)} labels are of no video there."
    )
