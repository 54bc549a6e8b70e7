"""Every network keeps the contract of its kind, and the contract can tell when one does not."""

from dataclasses import replace

import pytest

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.affine import network as affine
from latentveil.adapters.network import NETWORKS
from latentveil.errors import InputError
from latentveil.testing import ContractBroken, check_network

OPTIONS = {
    "attention": ({"heads": 4}, {"heads": 4, "attends": "none"}),
    "released": ({"heads": 4},),
    "codebook": (
        {"directions": 4, "prototypes": 6},
        {"directions": 4, "prototypes": 6, "window": 3},
    ),
    "affine": ({}, {"window": 3}),
}


@pytest.mark.parametrize("name", NETWORKS.names())
def test_every_network_keeps_its_contract(name):
    for options in OPTIONS.get(name, ({},)):
        check_network(name, **options)


def test_a_network_that_mixes_videos_is_found_out():
    with pytest.raises(ContractBroken, match="must give a video the same alone and beside others"):
        check_network("released", heads=4, attends="batch")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"make_identity": lambda module: None}, "must make its output its input"),
        ({"run_padded": lambda module, features, mask: 2 * features}, "must give what the network gives"),
        ({"describe": lambda options: "a | b"}, "must give one line for a table"),
    ],
)
def test_facts_that_are_not_true_are_found_out(changes, said):
    with pytest.raises(ContractBroken, match=said):
        check_network(replace(affine, **changes))


def test_an_adapter_is_built_of_any_network_by_name():
    adapter = Adapter(dim=8, architecture="latentveil.adapters.affine:network", window=3)
    assert adapter.config["window"] == adapter.network.window == 3
    for wrong, said in (
        ({"architecture": "magic"}, "network must be one of affine, attention"),
        ({"architecture": "affine", "windw": 3}, r"windw must be an option of the network affine \(window\)"),
        ({"architecture": "attention", "layers": 0}, "layers must be 1 or more, got 0"),
    ):
        with pytest.raises(InputError, match=said):
            Adapter(dim=8, **wrong)
