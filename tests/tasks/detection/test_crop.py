from dataclasses import replace

import numpy as np
import torch

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.crop import cut_segments, random_window, survivors

CONFIG = TriDetConfig()


def test_survivors_keep_half_of_their_length():
    segments = torch.tensor([[0.0, 10.0], [6.0, 10.0], [3.0, 8.0], [-1.0, 2.0], [20.0, 25.0]])
    assert survivors(segments, (5, 15), CONFIG).tolist() == [True, True, True, False, False]
    assert survivors(segments, (6, 15), CONFIG).tolist() == [False, True, False, False, False]


def test_cut_segments_are_counted_from_the_window():
    segments = torch.tensor([[0.0, 10.0], [20.0, 25.0], [7.0, 9.0]])
    cut, index = cut_segments(segments, (5, 15), CONFIG)
    assert cut.tolist() == [[0.0, 5.0], [2.0, 4.0]]
    assert index.tolist() == [0, 2]


def test_windows_have_the_sizes_of_the_recipe_and_keep_a_segment():
    config = replace(CONFIG, max_clips=50)
    random = np.random.default_rng(0)
    segments = torch.tensor([[90.0, 95.0]])
    for length in (1, 2, 10, 50, 51, 200):
        for _ in range(50):
            inside = segments if length > 95 else segments[:0]
            start, stop = random_window(length, inside, config, random)
            assert 0 <= start < stop <= length
            assert stop - start == 50 if length > 50 else stop - start >= 0.9 * length
            if len(inside):
                assert survivors(inside, (start, stop), config).all()
