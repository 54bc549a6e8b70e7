import math
from dataclasses import replace

import torch

from latentveil.tasks.detection.config import TriDetConfig
from latentveil.tasks.detection.decode import boundary_distances, find_candidates
from latentveil.tasks.detection.model import LevelOutput

BINS = 4


def random_output(seed=0, *, length=7, stride=2, num_classes=3):
    generator = torch.Generator().manual_seed(seed)

    def normal(*shape):
        return 2 * torch.randn(2, *shape, generator=generator, dtype=torch.float64)

    maps = [normal(num_classes, length) for _ in range(3)]
    mask = torch.arange(length) < torch.tensor([length, length - 2])[:, None]
    return LevelOutput(*maps, offsets=normal(2, BINS + 1, length).relu(), mask=mask, stride=stride)


def reference_distances(output, video, time, label):
    """Expected distances of one point, in plain loops."""
    length = output.start.shape[2]
    weights = [[], []]
    for b in range(BINS + 1):
        early, late = time - BINS + b, time + b
        start = output.start[video, label, early].item() if early >= 0 else 0.0
        end = output.end[video, label, late].item() if late < length else 0.0
        weights[0].append(math.exp(start + output.offsets[video, 0, b, time].item()))
        weights[1].append(math.exp(end + output.offsets[video, 1, b, time].item()))
    left = sum(w * (BINS - b) for b, w in enumerate(weights[0])) / sum(weights[0])
    right = sum(w * b for b, w in enumerate(weights[1])) / sum(weights[1])
    return left, right


def test_expected_boundaries_equal_plain_loops():
    output = random_output()
    places = [(v, t, c) for v in range(2) for t in range(7) for c in range(3)]
    found = boundary_distances(output, *torch.tensor(places).T)
    wanted = torch.tensor([reference_distances(output, *place) for place in places], dtype=torch.float64)
    torch.testing.assert_close(found, wanted)


def test_a_certain_boundary_is_found_where_it_is():
    start, end = torch.zeros(1, 1, 9), torch.zeros(1, 1, 9)
    start[0, 0, 2], end[0, 0, 7] = 50.0, 50.0
    output = LevelOutput(
        torch.zeros(1, 1, 9),
        start,
        end,
        torch.zeros(1, 2, 5, 9),
        torch.ones(1, 9, dtype=torch.bool),
        stride=1,
    )
    found = boundary_distances(output, torch.zeros(1, dtype=torch.long), torch.tensor([4]), torch.tensor([0]))
    torch.testing.assert_close(found, torch.tensor([[2.0, 3.0]]))


def test_candidates_equal_plain_loops():
    config = replace(TriDetConfig(), candidate_score=0.2, candidates_per_level=10, shortest_segment=2.0)
    outputs = [random_output(0, length=8, stride=1), random_output(1, length=4, stride=2)]
    for video, found in enumerate(find_candidates(outputs, config)):
        wanted = []
        for output in outputs:
            level = []
            for t in range(output.logits.shape[2]):
                for c in range(3):
                    score = output.logits[video, c, t].sigmoid().item() * output.mask[video, t].item()
                    if score > 0.2:
                        level.append((score, t, c))
            for score, t, c in sorted(level, reverse=True)[:10]:
                left, right = reference_distances(output, video, t, c)
                if (left + right) * output.stride > 2:
                    wanted.append((output.stride * (t - left), output.stride * (t + right), score, c))
        columns = torch.tensor(wanted, dtype=torch.float64).T
        torch.testing.assert_close(found.segments, columns[:2].T.contiguous())
        torch.testing.assert_close(found.scores, columns[2])
        assert found.classes.tolist() == columns[3].tolist()
