"""The contract of an adapter's network: videos stay apart, padding does not matter, and its facts are true."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from latentveil.adapters.network import NETWORKS, Network
from latentveil.config import Section
from latentveil.sequences import pad_sequences
from latentveil.testing.contract import require, require_facts

DIM = 16
LENGTHS = (1, 4, 6)
TOLERANCE = 1e-4


def check_network(network: str | Network, **options: Any) -> None:
    """Raise ``ContractBroken`` where the network (a name, ``package.module:object`` or the object) breaks a promise.

    It is built for features of 16 dimensions, with these ``options`` and otherwise as usual.
    """
    found = NETWORKS.get(network)
    chosen = found.check_options(options)
    _carries_its_facts(found, chosen)
    module = _build(found, chosen, seed=0)
    _keeps_shapes_and_videos_apart(found, module)
    _is_its_weights(found, chosen, module)
    _pads_as_it_says(found, module)
    _is_the_identity_if_it_can(found, module)


def _build(network: Network, options: Section, *, seed: int) -> nn.Module:
    """The module with numbers in every buffer and weight, since closed forms start empty."""
    with torch.random.fork_rng(devices=[]), torch.no_grad():
        torch.manual_seed(seed)
        module = network.build(DIM, options)
        for value in module.state_dict().values():
            if value.is_floating_point() and value.ndim:
                value.add_(0.2 * torch.rand_like(value))
    return module.eval()


def _videos() -> tuple[list[Tensor], Tensor, Tensor]:
    generator = torch.Generator().manual_seed(0)
    videos = [torch.randn(length, DIM, generator=generator) for length in LENGTHS]
    return videos, *pad_sequences(videos)


def _carries_its_facts(network: Network, options: Section) -> None:
    require_facts(network, "network")
    text = network.describe(options)
    require(
        isinstance(text, str) and text and "\n" not in text and "|" not in text,
        f"describe of the network {network.name!r} must give one line for a table, got {text!r}.",
    )
    written = options.model_dump_json()
    require(
        network.Options.model_validate_json(written) == options,
        f"options of the network {network.name!r} must survive being written as JSON, got {written}.",
    )


@torch.inference_mode()
def _keeps_shapes_and_videos_apart(network: Network, module: nn.Module) -> None:
    videos, features, mask = _videos()
    output = module(features, mask)
    require(output.shape == features.shape, f"network {network.name!r} must keep the shape of its input.")
    require(
        bool(torch.isfinite(output).all()), f"network {network.name!r} must give finite numbers, got others."
    )
    for index, video in enumerate(videos):
        alone = module(video[None], torch.ones(1, len(video), dtype=torch.bool))[0]
        require(
            _near(output[index, : len(video)], alone),
            f"network {network.name!r} must give a video the same alone and beside others, got another.",
        )


@torch.inference_mode()
def _is_its_weights(network: Network, options: Section, module: nn.Module) -> None:
    _, features, mask = _videos()
    other = _build(network, options, seed=1)
    other.load_state_dict(module.state_dict())
    require(
        torch.equal(other(features, mask), module(features, mask)),
        f"network {network.name!r} must follow from its options and saved weights, got another output.",
    )


@torch.inference_mode()
def _pads_as_it_says(network: Network, module: nn.Module) -> None:
    if network.run_padded is None:
        return
    _, features, mask = _videos()
    padded = network.run_padded(module, features, mask)
    require(
        _near(padded[mask], module(features, mask)[mask]),
        f"run_padded of the network {network.name!r} must give what the network gives, got another.",
    )


@torch.inference_mode()
def _is_the_identity_if_it_can(network: Network, module: nn.Module) -> None:
    if network.make_identity is None:
        return
    _, features, mask = _videos()
    network.make_identity(module)
    require(
        _near(module(features, mask)[mask], features[mask]),
        f"make_identity of the network {network.name!r} must make its output its input, got another.",
    )


def _near(one: Tensor, two: Tensor) -> bool:
    return bool(torch.allclose(one, two, rtol=TOLERANCE, atol=TOLERANCE))
