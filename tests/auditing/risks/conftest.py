"""People with known looks: videos of two clips, filmed in one or several recordings."""

from collections.abc import Callable

import numpy as np
import pytest

from latentveil.labels import Labels
from latentveil.types import FeatureSet

NUM_CLIPS = 2
Scene = tuple[FeatureSet, Labels]


def make_scene(
    *,
    num_people: int = 24,
    num_videos: int = 8,
    dim: int = 16,
    looks: float = 1.0,
    noise: float = 0.3,
    recordings: int = 0,
    recording_size: float = 5.0,
    seed: int = 0,
) -> Scene:
    """Features are a person's looks, plus the recording's offset, plus noise; splits share people.

    With recordings, everybody is filmed in each of them.
    """
    random = np.random.default_rng(seed)
    person = np.repeat(np.arange(num_people), num_videos)
    place = np.tile(np.arange(num_videos) % max(recordings, 1), num_people)
    feature = looks * random.normal(size=(num_people, dim))[person]
    feature = feature + noise * random.normal(size=(len(person), dim))
    if recordings:
        feature = feature + recording_size * random.normal(size=(recordings, dim))[place]
    video = np.array([f"v{index:03d}" for index in range(len(person))])
    labels = Labels(
        video,
        np.tile(
            np.array(["train", "train", "val", "test"])[np.arange(num_videos) * 4 // num_videos], num_people
        ),
        np.array([f"p{index:02d}" for index in person]),
        recording=np.array([f"r{index}" for index in place]) if recordings else None,
    )
    return as_clips(video, feature, random), labels


def as_clips(video: np.ndarray, feature: np.ndarray, random: np.random.Generator) -> FeatureSet:
    """Two clips per video whose mean is the video's feature."""
    apart = 0.1 * random.normal(size=feature.shape)
    both = np.stack([feature + apart, feature - apart], axis=1).reshape(-1, feature.shape[1])
    rows = len(both)
    clip = np.tile(np.arange(NUM_CLIPS), len(video))
    return FeatureSet(
        np.repeat(video, NUM_CLIPS),
        clip,
        clip * 16,
        clip * 0.5,
        np.full(rows, "temporal"),
        np.full(rows, "validation"),
        both.astype(np.float32),
    )


@pytest.fixture(scope="session")
def scene() -> Callable[..., Scene]:
    return make_scene


@pytest.fixture(scope="session")
def without_group_means() -> Callable[..., FeatureSet]:
    """The sample mean of each person taken away: what an estimate on the release itself, subtracted, leaves.

    With ``fresh_draw`` a mean is put in its place that is drawn from how such sample means vary by chance, N(0,
    covariance of a video's residual / number of videos): then the videos of a person are as independent as others'.
    """

    def subtract(found: Scene, *, fresh_draw: bool = False, seed: int = 0) -> FeatureSet:
        features, labels = found
        random = np.random.default_rng(seed)
        person = labels.lookup("person", features.video)
        feature = features.feature.astype(np.float64)
        names = np.unique(person)
        for name in names:
            feature[person == name] -= feature[person == name].mean(axis=0)
        videos = feature.reshape(-1, NUM_CLIPS, feature.shape[1]).mean(axis=1)  # (V, D)
        covariance = videos.T @ videos / (len(videos) - len(names))
        for name in names if fresh_draw else ():
            num_videos = (person == name).sum() / NUM_CLIPS
            feature[person == name] += random.multivariate_normal(
                np.zeros(feature.shape[1]), covariance / num_videos
            )
        return features.with_feature(feature.astype(np.float32))

    return subtract
