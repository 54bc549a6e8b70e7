"""Stores of any size, written a shard at a time: people who look alike in all their clips, and move in some ways."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from latentveil.labels import Labels
from latentveil.store import Manifest, StoreWriter
from latentveil.types import STATIC, TEMPORAL, EncoderInfo, FeatureSet, Sampling

CLIPS, SHORT_CLIPS, STILLS = 10, 3, 2
ACTIONS = 8
VIDEOS_OF_A_PERSON = 2 * ACTIONS
SPLITS = ("train", "train", "val", "test")  # of one person after the other
SHARD_VIDEOS = 1000
GENDER_SHIFT = 0.1


def write_synthetic(folder: Path, num_clips: int, *, dim: int, short: bool = False) -> Path:
    """A store `raw` of about ``num_clips`` clips and stills, and `labels.csv`, in ``folder``; what is there stays.

    With ``short`` every other video is a short one, so that clips are fewer.
    """
    store = folder / "raw"
    num_videos = num_clips // (CLIPS + STILLS)
    motion = np.random.default_rng(0).normal(size=(ACTIONS, dim)).astype(np.float32)
    info = EncoderInfo("synthetic", "0" * 64, dim, 16, 224, (0.0,) * 3, (1.0,) * 3, "none")
    with StoreWriter(store, Manifest(encoder=info, sampling=Sampling(static_clips=STILLS))) as writer:
        done = writer.finished_videos()
        for first in range(0, num_videos, SHARD_VIDEOS):
            count = min(SHARD_VIDEOS, num_videos - first)
            if _name(first) not in done:
                writer.write_shard(_videos(first, count, motion=motion, short=short))
        writer.finish()
    names = [_name(number) for number in range(num_videos)]
    number = np.arange(num_videos)
    person = number // VIDEOS_OF_A_PERSON
    columns = {
        "action": np.array([f"a{action}" for action in number % ACTIONS]),
        "secret_gender": gender_of(person).astype(str),
    }
    labels = Labels(
        video=np.array(names),
        split=np.array(SPLITS)[person % len(SPLITS)],
        person=np.array([f"p{one:06d}" for one in person]),
        columns=columns,
    )
    labels.write(folder / "labels.csv")
    return folder


def gender_of(person: np.ndarray) -> np.ndarray:
    """0 or 1 for the numbers of people (N,), as often in every split."""
    return person // len(SPLITS) % 2


def _videos(first: int, count: int, *, motion: np.ndarray, short: bool) -> FeatureSet:
    """Some videos: looks that all videos of a person share, motion in their clips, noise."""
    random = np.random.default_rng(first + 1)
    rows = CLIPS + STILLS
    dim = motion.shape[1]
    number = first + np.arange(count)
    people, place = np.unique(number // VIDEOS_OF_A_PERSON, return_inverse=True)
    looks = np.stack([_looks(int(person), dim) for person in people])[place]  # (V, D)
    feature = looks[:, None] + 0.7 * random.standard_normal((count, rows, dim), dtype=np.float32)
    feature[:, :CLIPS] += motion[number % ACTIONS][:, None]
    clip = np.tile([*range(CLIPS), *range(STILLS)], count)
    videos = FeatureSet(
        video=np.repeat([_name(first + number) for number in range(count)], rows),
        clip=clip,
        start_frame=16 * clip,
        time=16 * clip / 25,
        kind=np.tile([TEMPORAL] * CLIPS + [STATIC] * STILLS, count),
        view=np.full(count * rows, "validation"),
        feature=feature.reshape(-1, dim),
    )
    return videos.select((clip < SHORT_CLIPS) | np.repeat(number % 2 == 0, rows)) if short else videos


def _looks(person: int, dim: int) -> np.ndarray:
    """What all rows of a person share (D,): the same in every shard, with a trace of their gender."""
    looks = np.random.default_rng([7, person]).standard_normal(dim, dtype=np.float32)
    looks[: dim // 8] += GENDER_SHIFT * (2 * float(gender_of(np.array(person))) - 1)
    return looks


def _name(number: int) -> str:
    return f"video_{number:07d}"
