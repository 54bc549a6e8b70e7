"""A rehearsal of the audit without its test videos: validation videos are graded, some training videos validate.

The test videos stay unread, so that the audit that follows is of people and videos on which nothing was chosen.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from latentveil.errors import InputError
from latentveil.labels import Labels

VALIDATION_SHARE = 0.2


def rehearsal_labels(labels: Labels, *, seed: int) -> Labels:
    """Labels of the training and validation videos alone, in which the validation videos are those to test on.

    Who is in two splits of the labels may be so here, too: where the labels keep people apart, whole people are taken
    from training for validation, otherwise single videos.
    """
    if not labels.videos("val"):
        raise InputError(
            "labels must have validation videos (split 'val') to choose settings on, got none. "
            "Mark some of the training people 'val'."
        )
    labels = labels.only(labels.video[labels.split != "test"])
    is_train = labels.split == "train"
    pieces = (
        labels.groups if not set(labels.groups[is_train]) & set(labels.groups[~is_train]) else labels.video
    )
    names = np.unique(pieces[is_train])
    if len(names) < 2:
        raise InputError(
            f"labels must have two people or videos to train on, got {len(names)}. Add training videos."
        )
    count = max(1, round(VALIDATION_SHARE * len(names)))
    drawn = np.random.default_rng(seed).choice(names, count, replace=False)
    split = np.where(is_train, np.where(np.isin(pieces, drawn), "val", "train"), "test")
    return replace(labels, split=split)
