"""The dominated area by hand, against counting, and what it must not depend on."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from latentveil.errors import InputError
from latentveil.metrics.hypervolume import Normalisers, hypervolume

on_grid = st.tuples(st.integers(0, 10), st.integers(0, 10))


def test_by_hand():
    assert hypervolume(np.array([[0.5, 0.4]])) == pytest.approx(0.2)
    # Two steps and a point that is below both.
    assert hypervolume(np.array([[1.0, 0.25], [0.5, 0.75], [0.4, 0.2]])) == pytest.approx(0.25 + 0.25)
    assert hypervolume(np.array([[1.0, 1.0]])) == 1.0
    assert hypervolume(np.empty((0, 2))) == 0.0


@settings(deadline=None, max_examples=50)
@given(st.lists(on_grid, max_size=8))
def test_agrees_with_counting_cells(corners):
    cells = {(x, y) for right, top in corners for x in range(right) for y in range(top)}
    assert hypervolume(np.array(corners) / 10) == pytest.approx(len(cells) / 100)


def test_normalisers_by_hand():
    normalisers = Normalisers(task_raw=0.9, task_chance=0.1, attack_raw=0.8, attack_chance=0.3)
    assert normalisers.point(0.5, 0.4) == pytest.approx((0.5, 0.8))
    assert normalisers.point(0.95, 0.2) == (1.0, 1.0)
    assert normalisers.point(0.0, 0.9) == (0.0, 0.0)


def test_what_cannot_be_normalised_is_refused():
    with pytest.raises(InputError, match="attack_raw must be above"):
        Normalisers(task_raw=0.9, task_chance=0.1, attack_raw=0.3, attack_chance=0.3)
    with pytest.raises(InputError, match=r"in \[0, 1\]"):
        hypervolume(np.array([[1.2, 0.5]]))
