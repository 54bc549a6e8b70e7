"""Every method keeps the contract of its kind, and the contract can tell when one does not."""

from dataclasses import replace

import pytest
import torch

from latentveil.config import Settings
from latentveil.errors import InputError
from latentveil.methods.base import METHODS, Method
from latentveil.methods.closed_form import affine_adapter
from latentveil.testing import ContractBroken, check_method

FAST = ("adapter.layers=1", "adapter.heads=4", "train.epochs=2", "train.batch_size=8")


@pytest.mark.parametrize("name", METHODS.names())
def test_every_method_keeps_its_contract(name):
    check_method(name, changes=FAST if METHODS.get(name).trained else ())


class Strength(Settings):
    strength: float = 1.0


def fit(data, settings, **_):
    dim = data.features.dim
    return affine_adapter(settings.strength * torch.eye(dim), torch.zeros(dim))


MINE = Method(name="mine", fit=fit, about="Somebody else's method.", Settings=Strength)


def test_somebody_elses_method_is_checked_too():
    check_method(MINE, changes=["strength=2"])


def drawn_from_the_clock(data, settings, **_):
    dim = data.features.dim
    return affine_adapter(torch.randn(dim, dim), torch.zeros(dim))


def not_finite(data, settings, **_):
    dim = data.features.dim
    return affine_adapter(torch.full((dim, dim), torch.nan), torch.zeros(dim))


def still_training(data, settings, **_):
    return fit(data, settings).train()


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"fit": drawn_from_the_clock}, "must follow from the seed alone"),
        ({"fit": not_finite}, "must give finite numbers"),
        ({"fit": still_training}, "must be in evaluation mode"),
        ({"fit": lambda *_, **__: 3}, "must give an Adapter"),
        ({"oracle": True}, "must refuse data without labels"),
        ({"trained": True}, "must keep log.jsonl"),
        ({"about": "no sentence"}, "must be one sentence"),
    ],
)
def test_a_method_that_breaks_a_promise_is_found_out(changes, said):
    with pytest.raises(ContractBroken, match=said):
        check_method(replace(MINE, **changes))


def test_a_device_that_is_not_there_is_no_matter_of_the_method():
    with pytest.raises(InputError, match="device must be one that torch can use"):
        check_method(MINE, changes=["train.device=cuda:99"])
