"""How much of the picture a decoder brings back from features, on people it has never seen."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.attacks.inversion import InversionPart, InversionResult, run_inversion
from latentveil.auditing.answers import check_same_clips
from latentveil.auditing.splits import attack_folds, groups_for
from latentveil.labels import IDENTITY, Labels
from latentveil.metrics.classification import majority_share
from latentveil.metrics.intervals import interval_over_groups, mean_of
from latentveil.results.audit import Inversion, SeenAttribute
from latentveil.types import STATIC, TEMPORAL, FeatureSet, Interval

# Enough to train a decoder that is worth fearing, few enough to decode and train in seconds.
MAX_CLIPS = {"train": 240, "validation": 60, "test": 100}


@dataclass(frozen=True, eq=False)
class InversionClips:
    """The clips that decoders learn from, are chosen on and are graded on, as row numbers of a feature set."""

    train: np.ndarray
    validation: np.ndarray
    test: np.ndarray

    @property
    def rows(self) -> np.ndarray:
        """All of them, in this order."""
        return np.concatenate([self.train, self.validation, self.test])


def choose_clips(features: FeatureSet, labels: Labels, secret: str, *, seed: int) -> InversionClips:
    """Which clips to decode, of videos in ``labels`` whose secret is known: spread evenly over the videos of each part.

    They are temporal clips of one view, or stills where there are no others. The test part holds people (or videos,
    where people are not known or are the secret) that the other parts do not.
    """
    kind = TEMPORAL if (features.kind == TEMPORAL).any() else STATIC
    usable = features.kind == kind
    # "validation" where there is such a view: it sorts after the "training-…" views.
    usable &= features.view == max(features.view[usable].tolist())
    known = labels.only(features.video[usable])
    # Few people can make a fold that tests one class only, in which the secret cannot be seen or missed.
    folds = attack_folds(known, secret, seed=seed)
    fold = max(folds, key=lambda fold: len(set(known.lookup(secret, fold.test).tolist())))

    def chosen(part: str) -> np.ndarray:
        rows = np.flatnonzero(usable & np.isin(features.video, np.array(getattr(fold, part))))
        rows = rows[np.argsort(features.video[rows], kind="stable")]
        if len(rows) > MAX_CLIPS[part]:
            rows = rows[np.linspace(0, len(rows) - 1, MAX_CLIPS[part]).astype(int)]
        return rows

    return InversionClips(chosen("train"), chosen("validation"), chosen("test"))


def visible_secret(secrets: Sequence[str]) -> str:
    """The secret to look for in pictures: the first that allows held-out people, which identity does not."""
    return next((secret for secret in secrets if secret not in (IDENTITY, "person")), secrets[0])


def measure_inversion(
    raw: FeatureSet,
    anonymized: FeatureSet,
    *,
    clips: InversionClips,
    frames: np.ndarray,
    labels: Labels,
    secret: str,
    seed: int,
) -> tuple[Inversion, InversionResult]:
    """How much comes back, and the reconstructions.

    Shapes: ``frames`` (N, 64, 64, 3) uint8, the pictures of ``clips.rows`` (N,). Numbers are means over the test clips
    with 95 % intervals over people or videos. ``attribute`` tells how often somebody who knows the originals names the
    secret from the picture.
    """
    check_same_clips(raw, anonymized)
    classes = sorted(set(labels.lookup(secret, raw.video[clips.rows]).tolist()))
    ends = np.cumsum([len(clips.train), len(clips.validation)])
    parts = [
        InversionPart(
            raw=raw.feature[rows],
            anonymized=anonymized.feature[rows],
            frames=pictures,
            target=np.searchsorted(classes, labels.lookup(secret, raw.video[rows])),
            video=raw.video[rows],
        )
        for rows, pictures in zip((clips.train, clips.validation, clips.test), np.split(frames, ends))
    ]
    result = run_inversion(*parts, num_classes=len(classes), seed=seed)
    test = parts[-1]
    groups = groups_for(labels, secret)[labels.places(test.video)]
    seen = {"original": result.correct_on_originals, **result.correct}
    found = Inversion(
        kind=str(raw.kind[clips.test[0]]),
        clips={"train": len(clips.train), "validation": len(clips.validation), "test": len(clips.test)},
        psnr=_means(result.psnr, groups, seed=seed),
        ssim=_means(result.ssim, groups, seed=seed),
        attribute=SeenAttribute(
            secret=secret,
            chance=float(majority_share(test.target)),
            named=_means(seen, groups, seed=seed),
        ),
    )
    return found, result


def _means(values: dict[str, np.ndarray], groups: np.ndarray, *, seed: int) -> dict[str, Interval]:
    """The mean of each array (N,) with its interval over ``groups`` (N,)."""
    return {name: interval_over_groups(mean_of(found), groups, seed=seed) for name, found in values.items()}
