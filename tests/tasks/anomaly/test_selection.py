"""Selection by magnitude: the greatest ones at rest, others too under dropout, and gathers that keep segments apart."""

from __future__ import annotations

import torch

from latentveil.tasks.anomaly.selection import gather_segments, select_by_magnitude, video_scores

MAGNITUDES = torch.tensor([[1.0, 5.0, 2.0, 4.0], [9.0, 1.0, 8.0, 2.0]])


def test_takes_the_greatest_magnitudes_when_not_training():
    chosen = select_by_magnitude(MAGNITUDES, top_k=2, dropout=0.7, training=False)
    assert chosen.sort(1).values.tolist() == [[1, 3], [0, 2]]


def test_takes_all_segments_of_a_video_that_has_too_few():
    assert select_by_magnitude(MAGNITUDES, top_k=9, dropout=0.0, training=True).shape == (2, 4)


def test_dropout_hides_the_greatest_as_often_as_it_should():
    torch.manual_seed(0)
    first = torch.cat(
        [select_by_magnitude(MAGNITUDES[:1], top_k=1, dropout=0.7, training=True)[0] for _ in range(2000)]
    )
    # The greatest is chosen when it is kept (0.3), the next when only that one is hidden (0.7 x 0.3).
    shares = torch.bincount(first, minlength=4) / len(first)
    assert abs(shares[1] - 0.3) < 0.04
    assert abs(shares[3] - 0.21) < 0.04


def test_scores_and_features_are_those_of_the_chosen_segments():
    scores = torch.tensor([[0.1, 0.2, 0.3, 0.4], [0.5, 0.6, 0.7, 0.8]])
    chosen = torch.tensor([[1, 3], [0, 2]])
    assert torch.allclose(video_scores(scores, chosen), torch.tensor([0.3, 0.6]))
    features = torch.arange(2 * 3 * 4 * 5).reshape(2, 3, 4, 5)  # (B, N, T, C)
    gathered = gather_segments(features, chosen)
    for video in range(2):
        for crop in range(3):
            for place, segment in enumerate(chosen[video]):
                assert torch.equal(gathered[video, crop, place], features[video, crop, segment])
