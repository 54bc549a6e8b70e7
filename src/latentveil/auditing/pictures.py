"""Inversion from stores and videos: the pictures behind some clips, and what decoders bring back of them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from latentveil.attacks.decoder import FRAME_SIZE
from latentveil.attacks.inversion import inversion_picture
from latentveil.auditing.reconstruction import choose_clips, measure_inversion
from latentveil.errors import InputError
from latentveil.extraction.inputs import collect_videos
from latentveil.files.place_files import local_file
from latentveil.files.places import Place
from latentveil.labels import Labels
from latentveil.results.audit import Inversion
from latentveil.types import STATIC, FeatureSet
from latentveil.video.decode import open_video
from latentveil.video.pictures import mean_frames

CAPTION = (
    "Top row: the mean frames of clips that no decoder has learned from. Below, what comes back: from raw features; "
    "from anonymized features, by a decoder trained on anonymized features (adaptive); without any feature, the mean "
    "of all training pictures (mean frame); from anonymized features, by the decoder of raw features (non adaptive). "
    "The more the adaptive row looks like the mean frame, the less of the picture is left."
)


def invert_clips(
    raw: FeatureSet,
    anonymized: FeatureSet,
    *,
    labels: Labels,
    secret: str,
    videos: str | Path,
    clip_frames: int,
    seed: int,
) -> tuple[Inversion, dict[str, bytes]]:
    """What decoders bring back, and a picture of originals and reconstructions by its caption."""
    files = _files_of(raw, videos)
    labels = labels.only(files)
    clips = choose_clips(raw, labels, secret, seed=seed)
    frames = decode_pictures(raw.select(clips.rows), files, clip_frames=clip_frames)
    found, result = measure_inversion(
        raw, anonymized, clips=clips, frames=frames, labels=labels, secret=secret, seed=seed
    )
    return found, {CAPTION: inversion_picture(result)}


def decode_pictures(features: FeatureSet, files: Mapping[str, Place], *, clip_frames: int) -> np.ndarray:
    """The mean frame of every clip (N, 64, 64, 3) uint8, from its video's file.

    ``clip_frames`` is how many frames the encoder took for a temporal clip. Where the store holds random crops, the
    picture is still the centre of the whole frame.
    """
    frames = np.empty((len(features), FRAME_SIZE, FRAME_SIZE, 3), dtype=np.uint8)
    for video, kind, _, rows in features.sequences():
        with local_file(files[video]) as file:
            frames[rows] = mean_frames(
                open_video(file),
                features.start_frame[rows].tolist(),
                clip_frames=1 if kind == STATIC else clip_frames,
                size=FRAME_SIZE,
            )
    return frames


def _files_of(features: FeatureSet, folder: str | Path) -> dict[str, Place]:
    """The files in ``folder`` by their videos' names in the store; others are left out."""
    found = {file.video: file.path for file in collect_videos([folder])}
    files = {video: found[video] for video in features.videos if video in found}
    if not files:
        raise InputError(
            f"{folder} must hold videos of the store, such as {features.videos[0]!r}, got others, such as "
            f"{min(found)!r}. Give the folder that was given to `veil extract`."
        )
    return files
