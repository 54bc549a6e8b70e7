"""How many people, videos and recordings stand behind a number."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypedDict

import numpy as np

from latentveil.labels import Labels


class Counted(TypedDict):
    """``people`` and ``recordings`` are None where the labels do not tell."""

    people: int | None
    videos: int
    recordings: int | None


def counted(labels: Labels, videos: Sequence[str] | np.ndarray) -> Counted:
    """The people, videos and recordings of ``videos``."""
    places = labels.places(videos)

    def number(column: np.ndarray | None) -> int | None:
        return None if column is None else len(set(column[places].tolist()) - {""})

    return {"people": number(labels.person), "videos": len(places), "recordings": number(labels.recording)}
