from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import nn

from latentveil.errors import InputError
from latentveil.sequences import pad_sequences
from latentveil.tasks.detection.inference import detect
from latentveil.tasks.detection.model import TriDet


@pytest.fixture
def head(tiny_config):
    torch.manual_seed(0)
    head = TriDet(8, 3, replace(tiny_config, candidate_score=0.02))
    for parameter in head.parameters():
        nn.init.normal_(parameter, std=0.2)
    return head.eval()


@pytest.mark.parametrize("per_class_nms", [True, False])
def test_detections_depend_on_the_video_alone(head, per_class_nms):
    head.config = replace(head.config, per_class_nms=per_class_nms)
    generator = torch.Generator().manual_seed(0)
    videos = [torch.randn(length, 8, generator=generator) for length in (1, 3, 13, 16, 37)]
    features, mask = pad_sequences(videos)
    garbage = torch.where(mask[:, :, None], features, torch.nan)  # what an adapter leaves in the padding
    for video, together in zip(videos, detect(head, garbage, mask)):
        (alone,) = detect(head, video[None], torch.ones(1, len(video), dtype=torch.bool))
        assert len(alone.scores) > 0
        np.testing.assert_allclose(together.scores, alone.scores, atol=1e-5)
        np.testing.assert_allclose(together.segments, alone.segments, atol=1e-4)
        assert together.classes.tolist() == alone.classes.tolist()


def test_released_padding_computes_at_full_length(head):
    full = TriDet(8, 3, replace(head.config, released_padding=True, max_clips=32)).eval()
    outputs = full(torch.zeros(1, 5, 8), torch.ones(1, 5, dtype=torch.bool))
    assert [output.mask.shape[1] for output in outputs] == [32, 16, 8]
    assert [int(output.mask.sum()) for output in outputs] == [5, 3, 2]


def test_boundary_responses_do_not_train_the_backbone(head):
    features = torch.randn(1, 16, 8, requires_grad=True)
    outputs = head(features, torch.ones(1, 16, dtype=torch.bool))
    own = torch.autograd.grad(
        sum(output.start.sum() + output.end.sum() for output in outputs),
        [*head.trident.start.parameters(), features],
        allow_unused=True,
        retain_graph=True,
    )
    assert own[0].abs().sum() > 0
    assert own[-1] is None
    (through_offsets,) = torch.autograd.grad(sum(output.offsets.sum() for output in outputs), features)
    assert through_offsets.abs().sum() > 0


def test_a_fresh_head_gives_each_class_its_prior(tiny_config):
    torch.manual_seed(0)
    head = TriDet(8, 3, tiny_config).eval()
    outputs = head(torch.zeros(1, 8, 8), torch.ones(1, 8, dtype=torch.bool))
    assert outputs[0].logits.sigmoid().mean().item() == pytest.approx(0.01, rel=0.5)


def test_the_normaliser_is_a_running_mean_kept_with_the_weights(tiny_config):
    head = TriDet(8, 3, tiny_config)
    head.update_normaliser(50)
    head.update_normaliser(0)
    assert head.state_dict()["normaliser"].item() == pytest.approx(0.9 * (0.9 * 100 + 0.1 * 50) + 0.1 * 1)


def test_refuses_a_video_without_clips(head):
    with pytest.raises(InputError, match="at least one clip"):
        head(torch.zeros(1, 8, 8), torch.zeros(1, 8, dtype=torch.bool))
