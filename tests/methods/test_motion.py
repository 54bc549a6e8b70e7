"""The method that keeps what moves: tasks nobody has named survive, looks do not."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.adapters.anonymize import anonymize
from latentveil.errors import InputError
from latentveil.methods import motion, veil
from latentveil.methods.base import TrainingData, load_method
from latentveil.methods.looks import tell_apart
from latentveil.methods.plan import load_config
from latentveil.tasks.build import build_tasks

LOOKS = slice(6, None)  # of the features of `mixed`; what comes before them moves


def training_data(mixed, *tasks):
    known = mixed.labels.only([*mixed.labels.videos("train"), *mixed.labels.videos("val")])
    built = build_tasks(tasks, mixed.features.of_videos(known.video.tolist()), known, segments=mixed.segments)
    return TrainingData(mixed.features.of_videos(mixed.labels.videos("train")), built, motion=True)


def fit(mixed, *changes, tasks=()):
    return motion.fit(training_data(mixed, *tasks), load_config(changes=changes, method="motion").settings)


def gains(adapter):
    """What the output owes to each dimension of the input, (D,)."""
    return adapter.network.weight.square().sum(dim=0).sqrt()


def test_what_moves_stays_and_looks_go_without_any_label(mixed):
    found = gains(fit(mixed, "motion.noise=0"))
    assert found[:6].min() > 2 * found[LOOKS].max()
    assert found[LOOKS].max() < 0.4


def test_actions_that_nobody_named_can_still_be_read_and_people_cannot(toy, read_accuracy):
    data = TrainingData(toy.features.of_videos(toy.labels.videos("train")), motion=True)
    safe = anonymize(motion.fit(data, load_config(method="motion").settings), toy.features, seed=0)
    assert read_accuracy(toy, safe, "action") > 0.95
    assert read_accuracy(toy, toy.features, "person") > 0.95
    assert read_accuracy(toy, safe, "person") < 0.6


def test_the_classes_of_a_named_task_count_as_motion(mixed):
    """A class that stills show, in dimension 8 alone, looks like looks, unless a task names it."""
    labels, features = mixed.labels, mixed.features
    shown = features.feature.copy()
    number = {"": 0, "action0": -1, "action1": 0, "action2": 1}
    shown[:, 8] += 5.0 * np.array([number[name] for name in labels.lookup("action", features.video)])
    shown[:, :3] = np.random.default_rng(0).normal(size=(len(shown), 3))
    shown_to_all = replace(mixed, features=features.with_feature(shown))
    unnamed, named = (
        gains(fit(shown_to_all, "motion.noise=0", tasks=tasks))[8] for tasks in ((), ("action",))
    )
    assert unnamed < 0.1
    assert named > 0.5


def test_a_higher_ratio_keeps_fewer_directions(mixed):
    ranks = [
        np.linalg.matrix_rank(fit(mixed, f"motion.ratio={ratio}").network.weight) for ratio in (0.01, 2, 4)
    ]
    assert ranks[0] == mixed.features.dim
    assert ranks[0] > ranks[1] >= ranks[2] > 0


def test_noise_has_the_shape_of_the_looks_that_pass(mixed):
    """Noise of size 1 doubles the looks that are left: its covariance is theirs."""
    adapter = fit(mixed, "motion.noise=1", "motion.ratio=0.5")
    looks = tell_apart(mixed.features.of_videos(mixed.labels.videos("train")), seed=0).looks.float()
    weight = adapter.network.weight
    passed = weight @ looks @ weight.T
    torch.testing.assert_close(
        adapter.noise_factor @ adapter.noise_factor.T, passed, atol=1e-4 * float(passed.trace()), rtol=0
    )
    assert adapter.config["noise_per"] == "video"
    assert fit(mixed, "motion.noise=0").noise_factor.abs().max() == 0


def test_a_ratio_that_nothing_reaches_is_refused(mixed):
    with pytest.raises(
        InputError, match=r"motion.ratio must be at most [\d.]+ for these videos, got 1000000000.0"
    ):
        fit(mixed, "motion.ratio=1e9")


def test_veil_is_a_codebook_unless_motion_is_asked_for(mixed):
    data = training_data(mixed, "action")
    settings = load_config("veil").settings
    assert veil.fit(data, settings).config["architecture"] == "affine"
    assert veil.fit(replace(data, motion=False), settings).config["architecture"] == "codebook"


@pytest.mark.parametrize("method", ["splavu", "codebook", "noise"])
def test_a_method_that_cannot_keep_motion_is_refused(method):
    with pytest.raises(
        InputError, match=f"method must be one of motion, transport, veil to keep motion, got '{method}'"
    ):
        load_method(method, motion=True)


def test_veil_refuses_settings_that_would_change_nothing(mixed):
    """With motion it reads the section motion, without it the section erasure."""
    data = training_data(mixed, "action")
    with pytest.raises(InputError, match="erasure must be left as it is where motion is among the tasks"):
        load_config("veil", ["erasure.noise=0.2"]).fit(data)
    with pytest.raises(InputError, match="motion must be left as it is where motion is not among the tasks"):
        load_config("veil", ["motion.ratio=2"]).fit(replace(data, motion=False))
