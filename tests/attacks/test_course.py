"""The course attack finds what only the clips of a video together tell, and nothing where there is nothing."""

import numpy as np
import pytest

from latentveil.attacks import LDA, Course
from latentveil.testing.scenes import Scene

NUM_VIDEOS, NUM_CLIPS, DIM = 200, 6, 8


def videos(secret: str):
    """Clips around a mean that is drawn for each video and far larger than all else; (N, D) and classes (N,)."""
    random = np.random.default_rng(3)
    target = np.arange(NUM_VIDEOS) % 2
    clips = random.normal(size=(NUM_VIDEOS, NUM_CLIPS, DIM))
    if secret == "spread":
        clips[:, :, 0] *= 1 + 2 * target[:, None]
    if secret == "trend":
        clips[:, :, 0] += 3 * (2 * target[:, None] - 1) * np.linspace(-1, 1, NUM_CLIPS)
    if secret == "order":  # the same clips, sorted or not
        clips[target == 1] = np.sort(clips[target == 1], axis=1)
    clips -= clips.mean(axis=1, keepdims=True)
    turn, _ = np.linalg.qr(random.normal(size=(DIM, DIM)))
    clips = (clips + 5 * random.normal(size=(NUM_VIDEOS, 1, DIM))) @ turn
    return clips.reshape(-1, DIM), np.repeat(target, NUM_CLIPS)


def accuracy(attack, secret):
    return Scene.of(*videos(secret), clips_per_video=NUM_CLIPS).accuracy(attack)


@pytest.mark.parametrize("secret", ["spread", "trend", "order"])
def test_finds_what_neither_clips_nor_their_mean_show(secret):
    assert accuracy(Course(), secret) >= 0.95
    assert accuracy(LDA(), secret) < 0.7


def test_finds_nothing_where_only_the_mean_is_noise():
    assert 0.3 < accuracy(Course(), "nothing") < 0.7
