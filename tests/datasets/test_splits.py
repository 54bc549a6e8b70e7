"""Drawn splits: the shares hold in every class, and the seed alone decides."""

import numpy as np
import pytest

from latentveil.datasets.splits import SHARES, draw_splits


@pytest.mark.parametrize("shares", [SHARES, {"val": 0.1, "train": 0.9}])
def test_every_class_has_the_same_shares(shares):
    classes = np.repeat(["run", "walk", "wave"], [50, 100, 30])
    split = draw_splits([classes == name for name in ("walk", "run", "wave")], seed=0, shares=shares)
    for name in ("run", "walk", "wave"):
        for part, share in shares.items():
            assert (split[classes == name] == part).mean() == pytest.approx(share)


def test_the_seed_alone_decides():
    strata = [np.arange(40) < 20, np.arange(40) >= 20]
    first, again, other = (draw_splits(strata, seed=seed) for seed in (0, 0, 1))
    assert first.tolist() == again.tolist() != other.tolist()
