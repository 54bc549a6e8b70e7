"""The labels of the videos that features are of, and how well the two fit together."""

from __future__ import annotations

from pathlib import Path
from unicodedata import normalize

from latentveil.errors import InputError
from latentveil.labels import Labels, LabelsLike, as_labels
from latentveil.notices import notify
from latentveil.store.sources import Features


def labels_for(given: LabelsLike, features: Features) -> Labels:
    """The labels of videos in ``features``; there must be some, and a notice tells who is left out."""
    labels = as_labels(given)
    if not features.videos:
        raise InputError(f"{features.name} must hold videos, got none. Extract some that can be read.")
    known = labels.only(features.videos)
    if not len(known.video):
        alike = _spelt_otherwise(set(labels.video.tolist()), set(features.videos))
        if alike is not None:
            raise InputError(
                f"{_said(given)} must name videos of {features.name} as they are there, got {alike}"
            )
        raise InputError(
            f"{_said(given)} must name videos of {features.name}, such as {features.videos[0]!r}, got others, such as "
            f"{str(labels.video[0])!r}. Write the keys of the features in the column video."
        )
    note = coverage_in_words(labels, features)
    if note is not None:
        notify(note)
    return known


def coverage_in_words(labels: Labels, features: Features) -> str | None:
    """How many videos are in one of labels and features only, or None where both name the same."""
    named, stored = set(labels.video.tolist()), set(features.videos)
    told = []
    if stored - named:
        told.append(
            f"{len(named & stored)} of {len(stored)} videos of {features.name} have labels; the others are left out."
        )
    if named - stored:
        told.append(f"{len(named - stored)} of {len(named)} labels are of no video there.")
    alike = _spelt_otherwise(named - stored, stored - named)
    if alike is not None:
        told.append(f"Among these is {alike}")
    return " ".join(told) or None


def _spelt_otherwise(named: set[str], stored: set[str]) -> str | None:
    """A name whose letters are those of a video, stored as other characters (some systems write ä as a and dots)."""
    composed = {normalize("NFC", video) for video in stored}
    alike = sorted(name for name in named if normalize("NFC", name) in composed)
    if not alike:
        return None
    return (
        f"{alike[0]!r}, which looks the same but has its accents as other characters (Unicode NFC and NFD). "
        "Write the keys of the features in the column video."
    )


def _said(given: LabelsLike) -> str:
    return str(given) if isinstance(given, str | Path) else "labels"
