import math
from dataclasses import replace

import pytest
import torch

from latentveil.tasks.detection.decode import boundary_distances
from latentveil.tasks.detection.loss import assign, detection_loss
from latentveil.tasks.detection.model import TriDet
from latentveil.tasks.detection.points import DetectionTarget, assign_points, make_points

TARGET = DetectionTarget(
    segments=[torch.tensor([[2.2, 7.9], [2.2, 7.9], [12.0, 14.5]]), torch.tensor([[0.5, 11.0]])],
    classes=[torch.tensor([0, 2, 1]), torch.tensor([1])],
)


@pytest.fixture
def outputs(tiny_config):
    torch.manual_seed(0)
    head = TriDet(8, 3, tiny_config).eval()
    mask = torch.arange(16) < torch.tensor([16, 13])[:, None]
    return head(torch.randn(2, 16, 8, requires_grad=True), mask)


def reference(outputs, normaliser, config):
    """Both terms in plain loops over videos, levels, points and classes; without ``normaliser``, by counts."""
    points = make_points([output.mask.shape[1] for output in outputs], config)
    regression = 0.0
    classification = {True: 0.0, False: 0.0}  # of positive points, and of all others
    counts = {True: 0, False: 0}
    for video, (segments, classes) in enumerate(zip(TARGET.segments, TARGET.classes)):
        hot, distances = assign_points(points, segments, classes, num_classes=3, centre_radius=1.5)
        place = -1
        for output in outputs:
            for time in range(output.mask.shape[1]):
                place += 1
                if not output.mask[video, time]:
                    continue
                positive = bool(hot[place].any())
                counts[positive] += 1
                for label in range(3):
                    p = output.logits[video, label, time].sigmoid().item()
                    if hot[place, label] == 0:
                        classification[positive] += -0.75 * p**2 * math.log(1 - p)
                        continue
                    index = (torch.tensor([value]) for value in (video, time, label))
                    left, right = boundary_distances(output, *index)[0].tolist()
                    true_left, true_right = distances[place].tolist()
                    hull = max(left, true_left) + max(right, true_right)
                    iou = (min(left, true_left) + min(right, true_right)) / hull
                    shift = ((right - left) - (true_right - true_left)) / 2
                    shift *= config.regression == "distance"
                    classification[True] += -0.25 * iou**config.iou_weight_power * (1 - p) ** 2 * math.log(p)
                    regression += 1 - iou + (shift / hull) ** 2
    divisor = {kind: normaliser or counts[kind] for kind in (True, False)}
    return sum(classification[kind] / divisor[kind] for kind in divisor), regression / divisor[True]


@pytest.mark.parametrize("power", [0.2, 1.0])
def test_equals_plain_loops(outputs, tiny_config, power):
    config = replace(tiny_config, iou_weight_power=power)
    terms = detection_loss(outputs, assign(outputs, TARGET, config), 7.0, config)
    classification, regression = reference(outputs, 7.0, config)
    assert terms["classification"].item() == pytest.approx(classification, rel=1e-4)
    assert terms["regression"].item() == pytest.approx(regression, rel=1e-4)
    assert regression > 0


def test_equation_8_divides_each_kind_of_point_by_its_own_number(outputs, tiny_config):
    config = replace(tiny_config, normalisation="counts", iou_weight_power=1.0, regression="iou")
    terms = detection_loss(outputs, assign(outputs, TARGET, config), 7.0, config)
    classification, regression = reference(outputs, None, config)
    assert terms["classification"].item() == pytest.approx(classification, rel=1e-4)
    assert terms["regression"].item() == pytest.approx(regression, rel=1e-4)


def test_counts_points_not_classes(outputs, tiny_config):
    assignment = assign(outputs, TARGET, tiny_config)
    # the first two segments are one in time: each of their points has two classes and counts once
    assert assignment.num_positive < int(assignment.classes[assignment.valid].sum())
    assert assignment.num_positive == int(assignment.classes[assignment.valid].any(dim=1).sum())


def test_gradient_reaches_the_iou_weight_only_on_request(outputs, tiny_config):
    for flag in (False, True):
        config = replace(tiny_config, iou_weight_gradient=flag)
        terms = detection_loss(outputs, assign(outputs, TARGET, config), 1.0, config)
        offsets = [output.offsets for output in outputs]
        found = torch.autograd.grad(terms["classification"], offsets, retain_graph=True, allow_unused=True)
        assert any(gradient is not None and gradient.abs().sum() > 0 for gradient in found) == flag


def test_videos_without_segments_give_background_loss_alone(outputs, tiny_config):
    nothing = DetectionTarget([torch.zeros(0, 2)] * 2, [torch.zeros(0, dtype=torch.long)] * 2)
    terms = detection_loss(outputs, assign(outputs, nothing, tiny_config), 1.0, tiny_config)
    assert terms["regression"].item() == 0
    assert terms["classification"].item() > 0
