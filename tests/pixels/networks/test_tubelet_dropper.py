"""STPrivacy's anonymizer: what is dropped is black, as much is kept as asked, and dropped tokens are not seen."""

import pytest
import torch

from latentveil.errors import InputError, UsageError
from latentveil.pixels.networks.base import ANONYMIZER_NETWORKS, VIDEO_NETWORKS
from latentveil.pixels.networks.transformer import TransformerOptions, Tubelets, weighted_attention

SMALL = {
    "frames": 4,
    "size": 16,
    "patch": 4,
    "width": 12,
    "depth": 3,
    "heads": 2,
    "drop_every": 1,
    "keep": 0.5,
}


@pytest.fixture
def dropper():
    torch.manual_seed(0)
    return ANONYMIZER_NETWORKS.get("tubelet_dropper").make(SMALL)


def test_at_test_each_row_in_time_keeps_its_share_and_the_rest_is_black(dropper):
    output = dropper.eval()(torch.rand(2, 4, 3, 16, 16))
    tubelets = dropper.tubelets.cut(output).unflatten(1, (2, 16))  # (B, rows, places, pixels)
    painted = (tubelets > 0).any(dim=-1).sum(dim=-1)
    assert painted.tolist() == [[4, 4], [4, 4]]  # a quarter of 16, after two predictors that keep half
    assert dropper.wanted_shares() == [0.5, 0.25]


def test_in_training_the_choice_carries_a_gradient_to_the_predictor(dropper):
    dropper.train()(torch.rand(2, 4, 3, 16, 16)).sum().backward()
    assert all(value.grad.abs().sum() > 0 for value in dropper.predictors["2"].decide[0].parameters())


def test_the_share_error_is_of_all_passes_that_learn(dropper):
    """Clips, then views: of the views alone, what is dropped of clips would cost nothing."""
    with torch.no_grad():
        dropper.train()(torch.rand(2, 4, 3, 16, 16))
    assert dropper.take_share_error() is None
    for _ in range(2):
        dropper(torch.rand(2, 4, 3, 16, 16))
    shares = dropper.shares
    expected = sum((share - wanted) ** 2 for kept in shares for share, wanted in zip(kept, (0.5, 0.25))) / 4
    assert len(shares) == 2
    torch.testing.assert_close(dropper.take_share_error(), expected)
    assert dropper.take_share_error() is None


def test_cutting_and_joining_gives_the_clip_back():
    tubelets = Tubelets(TransformerOptions(frames=4, size=8, patch=4, width=4, depth=1, heads=1))
    clips = torch.rand(2, 4, 3, 8, 8)
    assert torch.equal(tubelets.join(tubelets.cut(clips)), clips)


def test_a_clip_of_another_size_is_refused(dropper):
    with pytest.raises(InputError, match="clips must have"):
        dropper(torch.rand(1, 4, 3, 32, 32))


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"heads": 5}, "width must be a multiple of heads, got 12 and 5"),
        (
            {"frames": 5},
            "frames and size must be multiples of tubelet_frames and patch, got 5 of 2 and 16 of 4",
        ),
    ],
)
def test_sizes_that_do_not_go_together_are_refused(changes, said):
    for kind, name in ((ANONYMIZER_NETWORKS, "tubelet_dropper"), (VIDEO_NETWORKS, "vit")):
        known = kind.get(name).Options.model_fields
        options = {key: value for key, value in (SMALL | changes).items() if key in known}
        with pytest.raises(UsageError, match=said):
            kind.get(name).make(options)


def test_attention_does_not_see_dropped_tokens():
    torch.manual_seed(1)
    queries, keys, values = torch.randn(3, 1, 1, 3, 4)
    kept = torch.tensor([[1.0, 1.0, 0.0]])
    mixed = weighted_attention(queries, keys, values, kept)
    others = values.clone()
    others[0, 0, 2] += 10
    assert torch.allclose(mixed[0, 0, :2], weighted_attention(queries, keys, others, kept)[0, 0, :2])
    both = torch.nn.functional.scaled_dot_product_attention(
        queries[..., :2, :], keys[..., :2, :], values[..., :2, :]
    )
    assert torch.allclose(mixed[0, 0, :2], both[0, 0], atol=1e-6)
