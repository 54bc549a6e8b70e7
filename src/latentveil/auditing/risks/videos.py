"""The videos of an audit, one feature each: raw and anonymized, with who is in them and where they were filmed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from latentveil.attacks.base import video_means
from latentveil.auditing.answers import check_same_clips
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet


@dataclass(frozen=True, eq=False)
class PeopleVideos:
    """Videos of named people; ``raw`` (V, D) and ``anonymized`` (V, D') are means over clips, the rest is (V,)."""

    video: np.ndarray
    raw: np.ndarray
    anonymized: np.ndarray
    person: np.ndarray
    split: np.ndarray
    recording: np.ndarray | None

    @classmethod
    def gather(cls, raw: FeatureSet, anonymized: FeatureSet, labels: Labels, *, kind: str) -> PeopleVideos:
        """The videos that have clips of ``kind`` and a person in the labels."""
        check_same_clips(raw, anonymized)
        named = labels.only(labels.video[labels.column("person") != ""])
        rows = (raw.kind == kind) & np.isin(raw.video, named.video)
        if not rows.any():
            raise InputError(f"features must have clips of kind {kind!r} of named people, got none.")
        means = {}
        for name, features in (("raw", raw), ("anonymized", anonymized)):
            if not np.isfinite(features.feature[rows]).all():
                raise InputError(
                    "feature must be finite, got NaN or infinite values. Check the adapter that made it."
                )
            video, means[name] = video_means(features.feature[rows].astype(np.float64), features.video[rows])
        recording = None if named.recording is None else named.lookup("recording", video)
        if recording is not None and not (recording != "").any():
            recording = None
        return cls(
            video=video,
            **means,
            person=named.lookup("person", video),
            split=named.lookup("split", video),
            recording=recording,
        )
