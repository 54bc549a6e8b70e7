"""Looks and motion are told apart by stills: what stills show of a video is looks, wherever clips put it."""

import numpy as np
import pytest
import torch
from sklearn.covariance import ledoit_wolf

from latentveil.errors import InputError
from latentveil.methods.looks import PENALTIES, predict_left_out, shrunk_covariance, tell_apart
from latentveil.types import FeatureSet

DIM, CLIPS, STILLS = 12, 4, 2
MOVING, LOOKS_IN_CLIPS, LOOKS_IN_STILLS = slice(0, 3), slice(3, 6), slice(6, 9)


def planted(*, num_videos: int = 120, stills: int = STILLS, seed: int = 0) -> FeatureSet:
    """Dimensions 0 to 2 move; a video's looks stand in 3 to 5 of its clips and in 6 to 8 of its stills."""
    random = np.random.default_rng(seed)
    rows = []
    for video in range(num_videos):
        looks, action = 3 * random.normal(size=3), random.normal(size=3)
        for kind, count in (("temporal", CLIPS), ("static", stills)):
            features = 0.1 * random.normal(size=(count, DIM))
            if kind == "temporal":
                features[:, MOVING] += action + random.normal(size=(count, 3))
                features[:, LOOKS_IN_CLIPS] += looks
            else:
                features[:, LOOKS_IN_STILLS] += looks
            rows += [(f"v{video:03d}", number, kind, feature) for number, feature in enumerate(features)]
    video, clip, kind, feature = (np.array(column) for column in zip(*rows))
    return FeatureSet(
        video=video,
        clip=clip,
        start_frame=16 * clip,
        time=clip / 2,
        kind=kind,
        view=np.full(len(rows), "validation"),
        feature=feature.astype(np.float32),
    )


def shares(covariance):
    """How much of a covariance lies in each of the three planted parts."""
    variances = covariance.diagonal() / covariance.trace()
    return [float(variances[part].sum()) for part in (MOVING, LOOKS_IN_CLIPS, LOOKS_IN_STILLS)]


def test_what_stills_predict_is_looks_and_the_rest_is_motion():
    features = planted()
    found = tell_apart(features, seed=0)
    moving, in_clips, in_stills = shares(found.looks)
    assert moving < 0.05
    assert min(in_clips, in_stills) > 0.4
    moving, in_clips, in_stills = shares(found.motion)
    assert moving > 0.9
    assert in_stills < 0.02
    clips = features.of_kind("temporal").feature.astype(np.float64)
    np.testing.assert_allclose(found.mean.numpy(), clips.mean(axis=0), atol=1e-9)


def test_what_differs_between_videos_and_not_within_is_motion_if_stills_do_not_show_it():
    """The action of a planted video has variance 1 between videos, and each of its clips adds 1 within."""
    motion = tell_apart(planted(num_videos=400), seed=0).motion
    np.testing.assert_allclose(motion.diagonal()[MOVING], 2.0, rtol=0.15)


def test_a_video_is_predicted_by_a_model_that_has_not_seen_it():
    """Noise cannot be predicted, though a model that has seen it would come near: there are as many rows as numbers."""
    random = np.random.default_rng(0)
    known, wanted = (torch.as_tensor(random.normal(size=(40, 40))) for _ in range(2))
    error = (predict_left_out(known, wanted, seed=0) - wanted).square().sum()
    assert error > 0.9 * (wanted - wanted.mean(dim=0)).square().sum()


def test_predictions_equal_a_plain_ridge_regression():
    random = np.random.default_rng(1)
    known = random.normal(size=(15, 4))
    wanted = known @ random.normal(size=(4, 3)) + 0.1 * random.normal(size=(15, 3))
    wanted = np.concatenate([wanted, np.zeros((15, 1))], axis=1)
    found = predict_left_out(torch.as_tensor(known), torch.as_tensor(wanted), seed=3).numpy()
    order = np.random.default_rng(3).permutation(15)
    tried = []
    for penalty in PENALTIES:
        answer = np.zeros_like(wanted)
        for fold in range(5):
            left_out = order[3 * fold : 3 * fold + 3]
            rest = np.setdiff1d(np.arange(15), left_out)
            x, y = known[rest] - known[rest].mean(axis=0), wanted[rest] - wanted[rest].mean(axis=0)
            gram = x.T @ x / len(rest)
            weight = np.linalg.solve(gram + penalty * gram.trace() / 4 * np.eye(4), x.T @ y / len(rest))
            answer[left_out] = (known[left_out] - known[rest].mean(axis=0)) @ weight + wanted[rest].mean(
                axis=0
            )
        tried.append(answer)
    best = min(tried, key=lambda answer: np.square(answer - wanted).sum())
    np.testing.assert_allclose(found, best, atol=1e-9)


def test_the_covariance_is_shrunk_as_ledoit_and_wolf_do():
    rows = np.random.default_rng(2).normal(size=(20, 8)) * np.arange(1, 9)
    np.testing.assert_allclose(
        shrunk_covariance(torch.as_tensor(rows)).numpy(), ledoit_wolf(rows)[0], rtol=1e-9
    )


def test_without_stills_nothing_can_be_told_apart():
    with pytest.raises(InputError, match=r"at least 10 .*, got 0\. Extract with static=10"):
        tell_apart(planted(stills=0), seed=0)


def test_videos_that_are_all_alike_are_refused():
    features = planted()
    with pytest.raises(InputError, match="must differ from each other"):
        tell_apart(features.with_feature(np.zeros_like(features.feature)), seed=0)
