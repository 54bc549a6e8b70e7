"""Networks at the papers' sizes have the papers' numbers of parameters; counted on a device that holds none."""

import pytest
import torch
from torch import nn

from latentveil.errors import InputError, PluginError
from latentveil.pixels.networks.base import (
    ANONYMIZER_NETWORKS,
    IMAGE_NETWORKS,
    VIDEO_NETWORKS,
    ImageNetwork,
    VideoNetwork,
    count_parameters,
)


def full_size(kind, name, **options):
    with torch.device("meta"):
        return kind.get(name).make(options)


def with_classes(network, classes):
    with torch.device("meta"):
        return nn.Sequential(network, nn.Linear(network.dim, classes))


def test_unet_has_the_17_267_523_parameters_of_spact():
    assert count_parameters(full_size(ANONYMIZER_NETWORKS, "unet")) == 17_267_523


@pytest.mark.parametrize(
    ("kind", "name", "options", "classes", "parameters"),
    [
        (IMAGE_NETWORKS, "resnet", {"depth": 18}, 1000, 11_689_512),
        (IMAGE_NETWORKS, "resnet", {"depth": 34}, 1000, 21_797_672),
        (IMAGE_NETWORKS, "resnet", {}, 1000, 25_557_032),
        (IMAGE_NETWORKS, "resnet", {"depth": 101}, 1000, 44_549_160),
        (IMAGE_NETWORKS, "resnet", {"depth": 152}, 1000, 60_192_808),
        (IMAGE_NETWORKS, "mobilenet", {}, 1000, 4_231_976),
        (VIDEO_NETWORKS, "r3d", {}, 400, 33_371_472),
        (VIDEO_NETWORKS, "c3d", {}, 101, 78_409_573),
    ],
)
def test_classifiers_have_the_published_number_of_parameters(kind, name, options, classes, parameters):
    network = full_size(kind, name, **options)
    assert count_parameters(with_classes(network, classes)) == parameters


def test_unetpp_sees_every_earlier_place_of_its_row():
    """Six places of the grid and the step up, beside a ResNet-18 without its last stage."""
    network = full_size(ANONYMIZER_NETWORKS, "unetpp").network
    inputs = {name: block[0].in_channels for name, block in network.grid.items()}
    assert inputs == {
        "0_1": 64 + 64,  # below, and one place before
        "0_2": 64 + 2 * 64,
        "0_3": 128 + 3 * 64,  # the end of the row below has the decoder's channels
        "1_1": 128 + 64,
        "1_2": 256 + 2 * 64,
        "2_1": 256 + 128,
    }
    assert network.last.in_channels == 32


def test_the_dilated_stage_of_r3d_keeps_its_length():
    network = VIDEO_NETWORKS.get("r3d").make({"width": 2})
    cells = network.stages(network.stem(torch.zeros(1, 3, 16, 32, 32)))
    assert cells.shape == (1, 16, 4, 2, 2)
    plain = VIDEO_NETWORKS.get("r3d").make({"width": 2, "dilated": False})
    assert plain.stages(plain.stem(torch.zeros(1, 3, 16, 32, 32))).shape[2] == 2


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("unet", {"width": 2}),
        ("unet", {"width": 2, "grey": True}),
        ("unetpp", {"width": 2}),
        (
            "tubelet_dropper",
            {"frames": 4, "size": 32, "patch": 8, "width": 12, "depth": 2, "heads": 2, "drop_every": 1},
        ),
    ],
)
def test_anonymizers_give_pictures_of_the_same_shape(name, options):
    torch.manual_seed(0)
    network = ANONYMIZER_NETWORKS.get(name).make(options)
    size = 32 if name == "tubelet_dropper" else 37  # no multiple of 16
    clips = torch.rand(2, 4, 3, size, size)
    output = network(clips)
    assert output.shape == clips.shape
    assert 0 <= float(output.detach().min()) <= float(output.detach().max()) <= 1
    if options.get("grey"):
        assert torch.equal(output[:, :, 0], output[:, :, 2])


def test_frames_of_a_framewise_network_do_not_see_each_other():
    network = ANONYMIZER_NETWORKS.get("unet").make({"width": 2}).eval()
    clips = torch.rand(1, 3, 3, 16, 16)
    with torch.no_grad():
        assert torch.allclose(network(clips)[:, :1], network(clips[:, :1]), atol=1e-6)


def test_an_option_of_another_network_is_refused():
    with pytest.raises(InputError, match="depth"):
        ANONYMIZER_NETWORKS.get("unet").make({"depth": 3})
    with pytest.raises(InputError, match="the depths are"):
        IMAGE_NETWORKS.get("resnet").make({"depth": 7})


@pytest.mark.parametrize("kind", [ImageNetwork, VideoNetwork])
def test_a_network_that_does_not_know_its_features_is_told(kind):
    """A plug-in of somebody else: this was an AttributeError of torch, with its traceback."""
    mine = kind(name="mine", build=lambda options: nn.Flatten(), about="Everything.")
    with pytest.raises(
        PluginError, match="network mine must know how many features it gives as `dim`, got None"
    ):
        mine.make({})
