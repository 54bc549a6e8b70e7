"""The linear method: few directions, classes apart, people hidden, and noise that averaging does not take away."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.errors import InputError
from latentveil.methods import discriminant
from latentveil.methods.base import TrainingData
from latentveil.methods.plan import load_config
from latentveil.tasks.action import ActionTask


def settings(*changes):
    return load_config(changes=changes, method="discriminant").settings


def fit(toy, *changes):
    tasks = {"action": ActionTask(toy.features, toy.labels)}
    data = TrainingData(toy.features.of_videos(toy.labels.videos("train")), tasks)
    return discriminant.fit(data, settings("erasure.noise=1.5", *changes))


def test_actions_stay_and_people_go(toy, read_accuracy):
    safe = anonymize(fit(toy, "erasure.keep=2"), toy.features, seed=0)
    assert read_accuracy(toy, toy.features, "person") > 0.95
    assert read_accuracy(toy, safe, "person") < 0.5
    assert read_accuracy(toy, safe, "action") > 0.9


def test_one_video_of_each_class_says_nothing_of_people(toy):
    train = toy.labels.videos("train")
    actions = toy.labels.lookup("action", train)
    one_each = [train[row] for row in np.unique(actions, return_index=True)[1]]
    labels = toy.labels.only([*one_each, *toy.labels.videos("val")])
    one = replace(toy, labels=labels, features=toy.features.of_videos(labels.video.tolist()))
    with pytest.raises(InputError, match="must have two different training videos"):
        fit(one)


def test_only_the_kept_directions_are_used(toy):
    safe = anonymize(fit(toy, "erasure.keep=4"), toy.features, seed=0).feature
    assert np.linalg.matrix_rank(safe - safe.mean(axis=0), tol=1e-3) == 4


def test_clips_of_a_video_share_their_noise_and_videos_do_not(toy):
    adapter = fit(toy, "erasure.noise=3")
    torch.manual_seed(0)
    clips = torch.zeros(2, 4, toy.features.dim)
    output = adapter(clips)
    torch.testing.assert_close(output[0, 0], output[0, 3])
    assert not torch.allclose(output[0, 0], output[1, 0])


def test_noise_is_measured_in_the_spread_of_a_class(toy):
    quiet, noisy = fit(toy, "erasure.noise=0"), fit(toy, "erasure.noise=2")
    assert quiet.noise_factor.abs().max() == 0
    gram = noisy.noise_factor.T @ noisy.noise_factor
    torch.testing.assert_close(gram, 4 * torch.eye(len(gram)), atol=1e-4, rtol=0)


def test_without_a_task_there_is_nothing_to_keep(toy):
    with pytest.raises(InputError, match="tasks must be given"):
        discriminant.fit(TrainingData(toy.features), settings())
