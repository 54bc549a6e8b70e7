"""How much videos differ by how they look, and how much by what moves in them, told apart by stills, without labels.

A video's looks stay while its clips change, and its stills show them. So whatever stills predict of the mean clip of
a video that the prediction has not seen is looks; what they do not predict, and what changes from clip to clip, is
motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import torch
from sklearn.covariance import ledoit_wolf_shrinkage
from torch import Tensor

from latentveil.errors import InputError
from latentveil.methods.base import with_stills
from latentveil.methods.scatter import second_moment
from latentveil.types import STATIC, TEMPORAL, FeatureSet

FOLDS = 5
MIN_VIDEOS = 2 * FOLDS
MAX_VIDEOS = 20_000  # more no longer change a covariance of some thousand dimensions
PENALTIES = (0.1, 1.0, 10.0)  # of the ridge regression, in units of the stills' mean variance


@dataclass(frozen=True)
class LooksAndMotion:
    """Covariances ``looks`` and ``motion`` (D, D) of clips around their ``mean`` (D,)."""

    looks: Tensor
    motion: Tensor
    mean: Tensor


def tell_apart(features: FeatureSet, *, seed: int) -> LooksAndMotion:
    """The covariances of looks and of motion, from videos that have clips and stills.

    Looks are the average of two covariances between videos, that of the stills and that of what the stills predict of
    the clips, the latter scaled to the size of the former, since a prediction falls short of what it predicts. Motion
    is the covariance of clips within their videos plus that between videos of what the stills do not predict.
    """
    clips, stills = _rows_of_videos(features, TEMPORAL), _rows_of_videos(features, STATIC)
    videos = [video for video in clips if video in stills]
    if len(videos) < MIN_VIDEOS:
        raise InputError(
            f"training videos with clips and stills must be at least {MIN_VIDEOS} to tell motion from looks, got "
            f"{len(videos)}. {with_stills()}, or leave motion out of the tasks."
        )
    if len(videos) > MAX_VIDEOS:
        videos = np.random.default_rng(seed).choice(videos, MAX_VIDEOS, replace=False).tolist()
    clip_means = torch.stack([_matrix(features, clips[video]).mean(dim=0) for video in videos])  # (V, D)
    still_means = torch.stack([_matrix(features, stills[video]).mean(dim=0) for video in videos])
    predicted = predict_left_out(still_means, clip_means, seed=seed)
    of_stills, of_clips = shrunk_covariance(still_means), shrunk_covariance(predicted)
    looks = (of_stills + of_clips * (of_stills.trace() / of_clips.trace())) / 2
    within = torch.zeros_like(looks)
    num_clips = 0
    for video, mean in zip(videos, clip_means):
        moves = _matrix(features, clips[video]) - mean
        within += moves.T @ moves
        num_clips += len(moves)
    unpredicted = clip_means - predicted
    between = second_moment(unpredicted - unpredicted.mean(dim=0))
    weights = torch.tensor([len(clips[video]) for video in videos], dtype=torch.double) / num_clips
    return LooksAndMotion(looks, within / num_clips + between, weights @ clip_means)


def predict_left_out(known: Tensor, wanted: Tensor, *, seed: int) -> Tensor:
    """Ridge regression of ``wanted`` (V, D) on ``known`` (V, D), each row by a model fitted without it: (V, D).

    The penalty is the one that predicts best.
    """
    order = torch.as_tensor(np.random.default_rng(seed).permutation(len(known)))
    folds = order.chunk(FOLDS)
    models = [_Ridge.without(left_out, known, wanted) for left_out in folds]
    errors = [
        sum(
            float((model.predict(known[left_out], penalty) - wanted[left_out]).square().sum())
            for model, left_out in zip(models, folds)
        )
        for penalty in PENALTIES
    ]
    best = PENALTIES[int(np.argmin(errors))]
    predicted = torch.empty_like(wanted)
    for model, left_out in zip(models, folds):
        predicted[left_out] = model.predict(known[left_out], best)
    return predicted


@dataclass(frozen=True, eq=False)
class _Ridge:
    """Ridge regressions of all penalties at once, in the axes (D, D) of what is known, with ``variances`` (D,)."""

    mean_known: Tensor
    mean_wanted: Tensor
    variances: Tensor
    axes: Tensor
    answers: Tensor

    @classmethod
    def without(cls, left_out: Tensor, known: Tensor, wanted: Tensor) -> _Ridge:
        """Of ``wanted`` (V, D) on ``known`` (V, D) without the rows ``left_out``."""
        fitted = torch.ones(len(known), dtype=torch.bool)
        fitted[left_out] = False
        centred, aims = known[fitted], wanted[fitted]
        mean_known, mean_wanted = centred.mean(dim=0), aims.mean(dim=0)
        centred -= mean_known
        aims -= mean_wanted
        variances, axes = torch.linalg.eigh(second_moment(centred))  # (D,), (D, D)
        return cls(mean_known, mean_wanted, variances, axes, axes.T @ (centred.T @ aims / len(centred)))

    def predict(self, known: Tensor, penalty: float) -> Tensor:
        """What is wanted (M, D) of rows (M, D)."""
        shrunk = self.variances.clamp_min(0) + penalty * self.variances.mean()
        return ((known - self.mean_known) @ self.axes / shrunk) @ self.answers + self.mean_wanted


def shrunk_covariance(rows: Tensor) -> Tensor:
    """The covariance (D, D) of ``rows`` (N, D), mixed with a multiple of the identity as Ledoit and Wolf advise."""
    centred = rows - rows.mean(dim=0)
    covariance = second_moment(centred)
    size = covariance.trace() / len(covariance)
    if not size > 0:
        raise InputError(
            "videos must differ from each other to tell motion from looks, got videos all alike."
        )
    share = ledoit_wolf_shrinkage(centred.numpy(), assume_centered=True)
    return (1 - share) * covariance + share * size * torch.eye(len(covariance), dtype=covariance.dtype)


def _rows_of_videos(features: FeatureSet, kind: str) -> dict[str, np.ndarray]:
    """The rows of each video's clips of one kind, all views together."""
    found: dict[str, list[np.ndarray]] = {}
    for video, of_kind, _, rows in features.sequences():
        if of_kind == kind:
            found.setdefault(video, []).append(rows)
    return {video: np.concatenate(parts) for video, parts in found.items()}


def _matrix(features: FeatureSet, rows: np.ndarray) -> Tensor:
    return torch.as_tensor(features.feature[rows]).double()  # (T, D)
