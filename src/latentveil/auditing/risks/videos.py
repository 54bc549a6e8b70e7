"""The videos of an audit, one feature each: raw and anonymized, with who is in them and where they were filmed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from latentveil.attacks.base import video_means
from latentveil.attacks.clips import fit_course
from latentveil.auditing.answers import check_same_clips
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet

ACTION = "action"  # the column that says what a video shows
Spreads = tuple[np.ndarray, np.ndarray]  # of probe and gallery, (V, K) each


@dataclass(frozen=True, eq=False)
class PeopleVideos:
    """Videos of named people; ``raw`` (V, D) and ``anonymized`` (V, D') are means over clips, the rest is (V,).

    ``remade`` are the raw videos as who holds the adapter anonymizes them: a few draws (V, D'), or one without noise.
    ``spreads`` say how far the clips of each video lie apart, by what is compared; missing where clips do not differ.
    """

    video: np.ndarray
    raw: np.ndarray
    anonymized: np.ndarray
    person: np.ndarray
    split: np.ndarray
    recording: np.ndarray | None
    action: np.ndarray | None = None
    remade: tuple[np.ndarray, ...] = ()
    spreads: dict[str, Spreads] = field(default_factory=dict)

    @classmethod
    def gather(
        cls,
        raw: FeatureSet,
        anonymized: FeatureSet,
        labels: Labels,
        *,
        kind: str,
        remade: Sequence[FeatureSet] = (),
    ) -> PeopleVideos:
        """The videos that have clips of ``kind`` and a person in the labels."""
        for copy in (anonymized, *remade):
            check_same_clips(raw, copy)
        named = labels.only(labels.video[labels.column("person") != ""])
        rows = (raw.kind == kind) & np.isin(raw.video, named.video)
        if not rows.any():
            raise InputError(f"features must have clips of kind {kind!r} of named people, got none.")
        video = np.unique(raw.video[rows])
        recording = None if named.recording is None else named.lookup("recording", video)
        if recording is not None and not (recording != "").any():
            recording = None
        return cls(
            video=video,
            raw=_means(raw, rows),
            anonymized=_means(anonymized, rows),
            person=named.lookup("person", video),
            split=named.lookup("split", video),
            recording=recording,
            action=named.lookup(ACTION, video) if ACTION in named.columns else None,
            remade=tuple(_means(copy, rows) for copy in remade),
            spreads=_spreads(raw.feature[rows], anonymized.feature[rows], raw.video[rows]),
        )


def _means(features: FeatureSet, rows: np.ndarray) -> np.ndarray:
    """The mean of each video's clips of the mask ``rows`` (N,), videos sorted by name: (V, D)."""
    if not np.isfinite(features.feature[rows]).all():
        raise InputError(
            "feature must be finite, got NaN or infinite values. Check the adapter that made it."
        )
    _, means = video_means(features.feature[rows].astype(np.float64), features.video[rows])
    return means


def _spreads(raw: np.ndarray, anonymized: np.ndarray, video: np.ndarray) -> dict[str, Spreads]:
    """How far the clips of each video lie apart, for raw (N, D) and anonymized (N, D') features of ``video`` (N,).

    Raw videos beside anonymized ones are seen along the directions of these, where dimensions are as many.
    """
    looks = {name: fit_course(rows, video) for name, rows in (("raw", raw), ("anonymized", anonymized))}
    found = {}
    for (name, look), feature in zip(looks.items(), (raw, anonymized), strict=True):
        if look is not None:
            own = look.spread(feature, video)[1]
            found[name] = (own, own)
    if looks["anonymized"] is not None and raw.shape == anonymized.shape:
        found["raw_to_anonymized"] = (found["anonymized"][0], looks["anonymized"].spread(raw, video)[1])
    return found
