from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from latentveil.tasks.detection.sgp import DepthwiseConv, MaskedGroupNorm, ScaledDropPath, SGPBlock


def randomised(module, seed=0):
    """The module with every parameter away from its start, so that each one matters."""
    torch.manual_seed(seed)
    for parameter in module.parameters():
        nn.init.normal_(parameter, std=0.5)
    return module.double().eval()


def layer_norm(x, norm):
    out = torch.empty_like(x)
    for b in range(x.shape[0]):
        for t in range(x.shape[2]):
            column = x[b, :, t]
            scaled = (column - column.mean()) / (column.var(correction=0) + 1e-5).sqrt()
            out[b, :, t] = scaled * norm.norm.weight + norm.norm.bias
    return out


def depthwise(x, conv):
    """A convolution of each channel with itself, in plain loops."""
    reach = conv.kernel_size[0] // 2
    out = torch.zeros_like(x)
    for c in range(x.shape[1]):
        for t in range(x.shape[2]):
            for k in range(-reach, reach + 1):
                if 0 <= t + k < x.shape[2]:
                    out[:, c, t] += conv.weight[c, 0, k + reach] * x[:, c, t + k]
            out[:, c, t] += conv.bias[c]
    return out


@pytest.mark.parametrize("stride", [1, 2])
def test_block_equals_the_equations(tiny_config, stride):
    block = randomised(SGPBlock(tiny_config, stride=stride, scaled=True))
    x = torch.randn(2, 16, 8, dtype=torch.float64)
    out, mask = block(x, torch.ones(2, 1, 8, dtype=torch.bool))
    if stride == 2:
        x = F.max_pool1d(x, 3, stride=2, padding=1)
    normed = layer_norm(x, block.norm)
    gate = torch.relu(depthwise(normed.mean(dim=2, keepdim=True), block.instant_gate))
    instant = depthwise(normed, block.instant) * gate
    wide = depthwise(normed, block.window) + depthwise(normed, block.window_wide)
    mixed = instant + depthwise(normed, block.window_gate) * wide + normed
    y = x + block.branch_path.scale * mixed
    groups = F.group_norm(y, 4, block.mlp_norm.weight, block.mlp_norm.bias)
    wanted = y + block.mlp_path.scale * block.mlp(groups)
    torch.testing.assert_close(out, wanted)
    assert mask.shape == (2, 1, 8 // stride)


@pytest.mark.parametrize("stride", [1, 2])
def test_padding_is_never_seen(tiny_config, stride):
    block = randomised(SGPBlock(tiny_config, stride=stride, scaled=False))
    x = torch.randn(1, 16, 10, dtype=torch.float64)
    alone, _ = block(x, torch.ones(1, 1, 10, dtype=torch.bool))
    padded, mask = block(F.pad(x, (0, 14)), F.pad(torch.ones(1, 1, 10, dtype=torch.bool), (0, 14)))
    torch.testing.assert_close(padded[:, :, : 10 // stride], alone)
    assert mask.sum() == 10 // stride
    assert (padded[:, :, 10 // stride :] == 0).all()


def test_released_padding_is_seen(tiny_config):
    block = randomised(SGPBlock(replace(tiny_config, released_padding=True), stride=1, scaled=False))
    x = torch.randn(1, 16, 10, dtype=torch.float64)
    mask = torch.ones(1, 1, 10, dtype=torch.bool)
    assert not torch.allclose(block(F.pad(x, (0, 14)), F.pad(mask, (0, 14)))[0][:, :, :10], block(x, mask)[0])


def test_branches_learn_only_if_they_do_not_start_at_zero(tiny_config):
    for std, learns in [(tiny_config.branch_init_std, True), (0.0, False)]:
        torch.manual_seed(0)
        block = SGPBlock(replace(tiny_config, branch_init_std=std), stride=1, scaled=False)
        x = torch.randn(2, 16, 12)
        (block(x, torch.ones(2, 1, 12, dtype=torch.bool))[0] ** 2).sum().backward()
        branches = (block.instant, block.instant_gate, block.window, block.window_wide, block.window_gate)
        assert [bool((layer.weight.grad != 0).any()) for layer in branches] == [learns] * 5


def test_group_norm_leaves_padding_out():
    norm = randomised(MaskedGroupNorm(4, 16))
    x = torch.randn(2, 16, 9, dtype=torch.float64)
    mask = torch.arange(9) < torch.tensor([9, 5])[:, None, None]  # (2, 1, 9)
    out = norm(x * mask, mask)
    for video, length in enumerate((9, 5)):
        wanted = F.group_norm(x[video : video + 1, :, :length], 4, norm.weight, norm.bias)
        torch.testing.assert_close(out[video : video + 1, :, :length], wanted)


def test_short_kernels_take_a_short_way_to_the_same_result():
    conv = randomised(DepthwiseConv(6, 1, std=1.0))
    x = torch.randn(2, 6, 5, dtype=torch.float64)
    torch.testing.assert_close(conv(x), F.conv1d(x, conv.weight, conv.bias, groups=6))


def test_drop_path_leaves_out_whole_samples_and_keeps_the_mean():
    torch.manual_seed(0)
    path = ScaledDropPath(3, probability=0.25, scale=2.0)
    out = path(torch.ones(4000, 3, 2))
    assert set(out.unique().tolist()) == {0.0, out.max().item()}
    assert (out.amax(dim=(1, 2)) == out.amin(dim=(1, 2))).all()
    torch.testing.assert_close(out.mean().item(), 2.0, rtol=0.05, atol=0)
    torch.testing.assert_close(path.eval()(torch.ones(1, 3, 2)), torch.full((1, 3, 2), 2.0))
