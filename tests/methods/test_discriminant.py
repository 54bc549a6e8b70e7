"""The linear method: few directions, classes apart, people hidden, and noise that averaging does not take away."""

import numpy as np
import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.config import load_config
from latentveil.errors import InputError
from latentveil.methods import discriminant
from latentveil.methods.base import TrainingData
from latentveil.probes import fit_linear_probe
from latentveil.tasks.action import ActionTask
from latentveil.types import FeatureSet


def fit(toy, *changes):
    tasks = {"action": ActionTask(toy.features, toy.labels)}
    data = TrainingData(toy.features.of_videos(toy.labels.videos("train")), tasks)
    return discriminant.fit(data, load_config("veil", ("erasure.noise=1.5", *changes)))


def accuracy(toy, features, column):
    clips = features.of_kind("temporal")
    _, target = np.unique(toy.labels.lookup(column, clips.video), return_inverse=True)
    train = toy.labels.lookup("split", clips.video) == "train"
    probe = fit_linear_probe(clips.feature[train], target[train], clips.feature[train], target[train], seed=0)
    return float((probe.logits(clips.feature[~train]).argmax(1) == target[~train]).mean())


def test_actions_stay_and_people_go(toy):
    safe = anonymize(fit(toy, "erasure.keep=2"), toy.features, seed=0)
    assert accuracy(toy, toy.features, "person") > 0.95
    assert accuracy(toy, safe, "person") < 0.5
    assert accuracy(toy, safe, "action") > 0.9


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


def test_directions_maximise_the_ratio():
    random = np.random.default_rng(0)
    one, two = (torch.as_tensor(random.normal(size=(6, 6))) for _ in range(2))
    wanted, unwanted = one @ one.T, two @ two.T + torch.eye(6)
    best = discriminant.leading_ratios(wanted, unwanted, 1)[:, 0]

    def ratio(v):
        return (v @ wanted @ v) / (v @ unwanted @ v)

    assert all(ratio(best) >= ratio(torch.as_tensor(random.normal(size=6))) for _ in range(200))
    assert ratio(best).item() == pytest.approx(
        torch.linalg.eigvals(torch.linalg.solve(unwanted, wanted)).real.max().item()
    )


def test_without_a_task_there_is_nothing_to_keep(toy):
    with pytest.raises(InputError, match="tasks must be given"):
        discriminant.fit(TrainingData(toy.features), load_config("veil"))


def test_steps_between_clips_scatter_where_a_video_moves_and_not_where_videos_differ():
    """Dimensions 0 to 2 change from clip to clip, all others hold a video's looks."""
    random = np.random.default_rng(0)
    videos, clips, dim = 40, 6, 12
    moves = np.where(np.arange(dim) < 3, random.normal(size=(videos, clips, dim)), 0.0)
    looks = np.where(np.arange(dim) < 3, 0.0, 9 * random.normal(size=(videos, 1, dim)))
    features = FeatureSet(
        video=np.repeat([f"v{number:02d}" for number in range(videos)], clips),
        clip=np.tile(np.arange(clips), videos),
        start_frame=np.tile(16 * np.arange(clips), videos),
        time=np.tile(np.arange(clips) / 2, videos),
        kind=np.full(videos * clips, "temporal"),
        view=np.full(videos * clips, "validation"),
        feature=(looks + moves).reshape(-1, dim).astype(np.float32),
    )
    scatter = discriminant.step_scatter(features)
    assert scatter.trace() == pytest.approx(1)
    assert scatter[3:, 3:].abs().max() < 1e-12
    assert scatter.diagonal()[:3].min() > 0.25


def test_motion_adds_directions_to_those_of_a_task(toy):
    without, with_motion = (
        np.linalg.matrix_rank(fit(toy, "method=discriminant", "erasure.keep=20", change).network.mean_weight)
        for change in ("erasure.motion=0", "erasure.motion=1")
    )
    assert without < 10  # three actions in three phases
    assert with_motion == 20
