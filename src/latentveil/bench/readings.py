"""Readings: what attackers learned of one secret from one kind of clip, as entries of a results file hold them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from latentveil.types import STATIC

Entry = dict[str, Any]
Reading = dict[str, Any]
Subject = tuple[str, str]  # a secret and a kind of clip

READINGS = "readings"


def find_reading(entry: Entry, subject: Subject) -> Reading:
    """The reading of an entry for ``subject``."""
    return next(reading for reading in entry[READINGS] if subject_of(reading) == subject)


def subject_of(reading: Reading) -> Subject:
    """The secret and the kind of clip that a reading is about."""
    return reading["secret"], reading["kind"]


def subjects_of(entry: Entry) -> list[Subject]:
    """What an entry has readings of, in their order."""
    return [subject_of(reading) for reading in entry[READINGS]]


def describe_subject(subject: Subject) -> str:
    """The heading of a column: ``gender, clips`` or ``gender, stills``."""
    secret, kind = subject
    return f"{secret}, {'stills' if kind == STATIC else 'clips'}"


def subjects(secrets: Sequence[str], kinds: Sequence[str]) -> list[Subject]:
    """Every secret with every kind of clip."""
    return [(secret, kind) for secret in secrets for kind in kinds]
