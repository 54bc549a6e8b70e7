"""The codebook network: mixtures of prototypes, phases in order, and nothing of other videos."""

import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.codebook import CodebookNetwork
from latentveil.errors import InputError

DIM, DIRECTIONS, PROTOTYPES = 12, 3, 5


def make_network(*, window=0, temperature=2.0):
    generator = torch.Generator().manual_seed(0)
    network = CodebookNetwork(DIM, directions=DIRECTIONS, prototypes=PROTOTYPES, window=window)
    network.axes.copy_(torch.randn(DIM, DIRECTIONS, generator=generator))
    network.offset.copy_(torch.randn(DIRECTIONS, generator=generator))
    network.prototypes.copy_(3 * torch.randn(PROTOTYPES, DIRECTIONS, generator=generator))
    network.temperature.fill_(temperature)
    return network


def reference_code(network, clip):
    """One clip (D,) in plain loops over prototypes."""
    place = clip @ network.axes + network.offset
    weights = [torch.exp(-((place - p) ** 2).sum() / network.temperature) for p in network.prototypes]
    return sum(w * p for w, p in zip(weights, network.prototypes)) / sum(weights)


def test_codes_against_a_plain_loop():
    network = make_network()
    clips = torch.randn(4, DIM, generator=torch.Generator().manual_seed(1))
    wanted = torch.stack([reference_code(network, clip) for clip in clips])
    torch.testing.assert_close(network.encode(clips), wanted, atol=1e-4, rtol=1e-4)


def test_small_temperatures_snap_to_the_nearest_prototype_and_large_ones_blur_all():
    clips = torch.randn(20, DIM, generator=torch.Generator().manual_seed(2))
    sharp = make_network(temperature=1e-3)
    places = clips @ sharp.axes + sharp.offset
    nearest = sharp.prototypes[torch.cdist(places, sharp.prototypes).argmin(dim=1)]
    torch.testing.assert_close(sharp.encode(clips), nearest, atol=1e-4, rtol=0)
    blurred = make_network(temperature=1e6)
    everywhere = blurred.prototypes.mean(dim=0).expand(20, -1)
    torch.testing.assert_close(blurred.encode(clips), everywhere, atol=1e-2, rtol=0)


def test_codes_stay_within_the_prototypes_however_far_a_clip_lies():
    network = make_network()
    far = 1e4 * torch.randn(50, DIM, generator=torch.Generator().manual_seed(3))
    codes = network.encode(far)
    assert (codes <= network.prototypes.max(dim=0).values + 1e-4).all()
    assert (codes >= network.prototypes.min(dim=0).values - 1e-4).all()


def test_a_video_is_its_phases_in_order_on_every_clip():
    network = make_network()
    video = torch.randn(1, 6, DIM, generator=torch.Generator().manual_seed(4))
    numbers = network(video, torch.ones(1, 6, dtype=torch.bool))[0, :, : 3 * DIRECTIONS]
    codes = torch.stack([reference_code(network, clip) for clip in video[0]])
    wanted = torch.cat([codes[:2].mean(dim=0), codes[2:4].mean(dim=0), codes[4:].mean(dim=0)])
    torch.testing.assert_close(numbers, wanted.expand(6, -1), atol=1e-4, rtol=1e-4)


def test_with_a_window_of_one_every_clip_has_its_own_code():
    network = make_network(window=1)
    video = torch.randn(1, 4, DIM, generator=torch.Generator().manual_seed(5))
    output = network(video, torch.ones(1, 4, dtype=torch.bool))[0]
    torch.testing.assert_close(output[:, :DIRECTIONS], network.encode(video[0]))
    assert output[:, DIRECTIONS:].abs().max() == 0


@pytest.mark.parametrize("window", [0, 1, 3])
def test_other_videos_and_padding_change_nothing(window):
    network = make_network(window=window)
    videos = torch.randn(3, 5, DIM, generator=torch.Generator().manual_seed(6))
    mask = torch.tensor([[1, 1, 1, 1, 1], [1, 1, 0, 0, 0], [1, 0, 0, 0, 0]], dtype=torch.bool)
    together = network(videos, mask)
    for video, real, found in zip(videos, mask, together):
        alone = network(video[real][None], torch.ones(1, int(real.sum()), dtype=torch.bool))[0]
        torch.testing.assert_close(found[real], alone, atol=1e-5, rtol=1e-5)


def test_saved_and_loaded(tmp_path):
    adapter = Adapter(dim=DIM, architecture="codebook", directions=DIRECTIONS, prototypes=PROTOTYPES)
    adapter.network.load_state_dict(make_network().state_dict())
    adapter.save_pretrained(tmp_path / "adapter")
    loaded = Adapter.from_pretrained(str(tmp_path / "adapter"))
    video = torch.randn(1, 4, DIM, generator=torch.Generator().manual_seed(7))
    assert torch.equal(loaded(video), adapter(video))


def test_codes_that_do_not_fit_are_refused():
    with pytest.raises(InputError, match="fit into 12 dimensions, got 5, 4 and 3"):
        CodebookNetwork(DIM, directions=5, prototypes=4)
    with pytest.raises(InputError, match=r"window must be 0 .* or odd, got 2"):
        CodebookNetwork(DIM, directions=2, prototypes=4, window=2)
