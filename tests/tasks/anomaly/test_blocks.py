"""The parts of MGFN against plain formulas."""

from __future__ import annotations

import math

import pytest
import torch

from latentveil.tasks.anomaly.blocks import Amplification, ChannelNorm, Focus, Glance, MaskedBatchNorm


def full_mask(batch: int, length: int) -> torch.Tensor:
    return torch.ones(batch, 1, length)


def test_channel_norm_by_hand():
    # Mean 2, standard deviation 1; the 1e-5 joins the standard deviation, not the variance.
    x = torch.tensor([[[1.0], [3.0]]])
    assert ChannelNorm(2)(x).flatten().tolist() == pytest.approx([-1 / (1 + 1e-5), 1 / (1 + 1e-5)])


def test_channel_norm_has_a_finite_gradient_on_constant_channels():
    x = torch.zeros(1, 3, 2, requires_grad=True)
    ChannelNorm(3)(x).sum().backward()
    assert torch.isfinite(x.grad).all()


def test_batch_norm_ignores_padding():
    torch.manual_seed(0)
    x = torch.randn(2, 3, 5)
    mask = full_mask(2, 5)
    mask[1, :, 2:] = 0
    padded = torch.where(mask > 0, x, torch.full_like(x, 1e6))
    masked, plain = MaskedBatchNorm(3), torch.nn.BatchNorm1d(3)
    out = masked(padded, mask)
    real = torch.cat([x[0].T, x[1, :, :2].T])  # (7, 3)
    expected = plain(real)
    assert torch.allclose(torch.cat([out[0].T, out[1, :, :2].T]), expected, atol=1e-6)
    assert torch.allclose(masked.running_mean, plain.running_mean)
    assert (out[1, :, 2:] == 0).all()


def test_amplification_adds_a_share_of_the_magnitudes():
    torch.manual_seed(0)
    amplify = Amplification(4, 2, ratio=0.1)
    x, mask = torch.randn(1, 4, 6), full_mask(1, 6)
    norms = torch.tensor([[math.sqrt(sum(float(x[0, c, t]) ** 2 for c in range(4))) for t in range(6)]])[None]
    expected = amplify.features(x, mask) + 0.1 * amplify.magnitudes(norms, mask)
    assert torch.allclose(amplify(x, mask), expected, atol=1e-6)


def test_glance_equals_attention_written_out():
    torch.manual_seed(0)
    glance = Glance(4, head_dim=2)
    x = torch.randn(1, 4, 3)
    projected = glance.qkv(glance.norm(x))[0]  # (12, T)
    query, key, value = projected[:4], projected[4:8], projected[8:]
    mixed = torch.zeros(4, 3)
    for head in (slice(0, 2), slice(2, 4)):
        for t in range(3):
            logits = torch.stack([query[head, t] @ key[head, u] / math.sqrt(2) for u in range(3)])
            mixed[head, t] = sum(share * value[head, u] for u, share in enumerate(logits.softmax(0)))
    assert torch.allclose(glance(x, full_mask(1, 3)), glance.out(mixed[None]), atol=1e-5)


def test_focus_shares_one_kernel_per_head_among_its_channels():
    torch.manual_seed(0)
    focus = Focus(6, head_dim=3, kernel=5).eval()
    x = torch.randn(1, 6, 7)
    value = focus.value(focus.norm(x, full_mask(1, 7)))[0]  # (6, T), channel c of head h at c * heads + h
    mixed = torch.zeros(6, 7)
    for channel in range(6):
        head = channel % 2
        for t in range(7):
            taps = [(tap, t + tap - 2) for tap in range(5) if 0 <= t + tap - 2 < 7]
            mixed[channel, t] = focus.mix.bias[head] + sum(
                focus.mix.weight[head, 0, tap] * value[channel, place] for tap, place in taps
            )
    assert torch.allclose(focus(x, full_mask(1, 7)), focus.out(mixed[None]), atol=1e-5)
