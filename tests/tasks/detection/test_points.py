import pytest
import torch

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.points import assign_points, make_points

CONFIG = TriDetConfig()


def reference(segments, classes, lengths, num_classes):
    """Assignment in plain loops: per point (classes, left, right)."""
    answers = []
    for level, length in enumerate(lengths):
        stride, (low, high) = 2**level, [(0, 4), (4, 8), (8, 16), (16, 32), (32, 64), (64, 10_000)][level]
        for t in (stride * n for n in range(length)):
            fitting = []
            for (start, end), label in zip(segments, classes):
                centre = (start + end) / 2
                inside = max(centre - 1.5 * stride, start) < t < min(centre + 1.5 * stride, end)
                if inside and low <= max(t - start, end - t) <= high:
                    fitting.append((end - start, start, end, label))
            shortest = min(fitting, default=None, key=lambda entry: entry[0])
            hot = [0.0] * num_classes
            for entry in fitting:
                if entry[0] <= shortest[0] + 1e-3:
                    hot[entry[3]] = 1.0
            left, right = (t - shortest[1], shortest[2] - t) if shortest else (0, 0)
            answers.append((hot, left / stride, right / stride))
    return answers


@pytest.mark.parametrize("seed", range(8))
def test_equals_plain_loops(seed):
    generator = torch.Generator().manual_seed(seed)
    lengths = [64, 32, 16, 8, 4, 2]
    start = 60 * torch.rand(12, generator=generator)
    segments = torch.stack([start, start + 0.5 + 30 * torch.rand(12, generator=generator) ** 2], dim=1)
    segments[3] = segments[4]  # two classes at once
    segments[5:8] = segments[5:8].round()  # boundaries on points
    classes = torch.randint(0, 3, (12,), generator=generator)
    hot, distances = assign_points(
        make_points(lengths, CONFIG), segments, classes, num_classes=3, centre_radius=CONFIG.centre_radius
    )
    wanted = reference(segments.tolist(), classes.tolist(), lengths, 3)
    torch.testing.assert_close(hot, torch.tensor([entry[0] for entry in wanted]))
    torch.testing.assert_close(distances, torch.tensor([entry[1:] for entry in wanted]), rtol=1e-4, atol=1e-5)
    assert hot.sum() > 0


def test_points_and_reaches_are_those_of_thumos14():
    points = make_points([4, 2, 1, 1, 1, 1], CONFIG)
    assert points.position.tolist() == [0, 1, 2, 3, 0, 2, 0, 0, 0, 0]
    assert points.stride.tolist() == [1, 1, 1, 1, 2, 2, 4, 8, 16, 32]
    assert points.shortest.tolist() == [0, 0, 0, 0, 4, 4, 8, 16, 32, 64]
    assert points.longest.tolist() == [4, 4, 4, 4, 8, 8, 16, 32, 64, 10_000]


def test_a_video_without_segments_is_background():
    hot, distances = assign_points(
        make_points([2, 1, 1, 1, 1, 1], CONFIG),
        torch.zeros(0, 2),
        torch.zeros(0, dtype=torch.long),
        num_classes=2,
        centre_radius=1.5,
    )
    assert hot.shape == (7, 2)
    assert hot.sum() == 0
    assert distances.sum() == 0
