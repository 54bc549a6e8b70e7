"""What the docs tell authors of plug-ins: every kind is named, and the files that are shown keep their contracts."""

import re
from importlib import import_module
from pathlib import Path

import pytest
import torch

from latentveil import testing
from latentveil.adapters.network import NETWORKS
from latentveil.attacks import ATTACKS
from latentveil.datasets import DATA_SETS
from latentveil.encoders import ENCODERS
from latentveil.encoders.backends import BACKENDS
from latentveil.methods.base import METHODS
from latentveil.pixels.base import PIXEL_METHODS
from latentveil.pixels.detectors.base import DETECTORS
from latentveil.pixels.networks.base import VIDEO_NETWORKS
from latentveil.tasks.heads.base import HEADS
from latentveil.testing import check_dataset, check_pixel_method

ROOT = Path(__file__).parents[1]
KINDS = {
    "check_attack": ATTACKS,
    "check_backend": BACKENDS,
    "check_dataset": DATA_SETS,
    "check_detector": DETECTORS,
    "check_encoder": ENCODERS,
    "check_head": HEADS,
    "check_method": METHODS,
    "check_network": NETWORKS,
    "check_pixel_method": PIXEL_METHODS,
}


def test_contributing_names_every_kind_that_has_a_contract():
    assert set(KINDS) == {name for name in testing.__all__ if name.startswith("check_")}
    rows = re.findall(
        r"^\| [^|]+ \| `src/([\w/]+)/NAME\.py` \| `(\w+) = .*` \| `([\w.]+)` \| `(\w+)` \|$",
        (ROOT / "CONTRIBUTING.md").read_text(),
        flags=re.MULTILINE,
    )
    told = {check: (room.replace("/", "."), variable, group) for room, variable, group, check in rows}
    assert told == {
        check: (kind.room, kind.name.replace(" ", "_"), kind.group) for check, kind in KINDS.items()
    }


@pytest.fixture
def shown(tmp_path, monkeypatch):
    """A function that makes a module ``my_package.NAME`` of the file under a heading of the docs."""
    (tmp_path / "my_package").mkdir()
    monkeypatch.syspath_prepend(tmp_path)

    def make(heading, name):
        _, _, below = (ROOT / "docs" / "extending.md").read_text().partition(f"## {heading}\n")
        code = re.findall(r"```python\n(.*?)```", below, flags=re.DOTALL)[0]
        (tmp_path / "my_package" / f"{name}.py").write_text(code)
        return import_module(f"my_package.{name}")

    return make


def test_the_pixel_method_that_is_shown_keeps_the_contract(shown):
    check_pixel_method(shown("A pixel method", "poster").pixel_method, changes=["shades=3"])


def test_the_network_of_a_pixel_level_system_that_is_shown_can_be_built(shown):
    shown("A network of a learned pixel-level system", "plain")
    made = VIDEO_NETWORKS.get("my_package.plain:video_network").make({"width": 4})
    assert made(torch.rand(2, 4, 3, 8, 8)).shape == (2, made.dim) == (2, 4)


def test_the_data_set_that_is_shown_keeps_the_contract(shown, tmp_path):
    (tmp_path / "walks").mkdir()
    for person in (1, 2, 3):
        (tmp_path / "walks" / f"{person}_walk_01.mp4").touch()
    check_dataset(shown("A data set", "walks").data_set, tmp_path / "walks")
