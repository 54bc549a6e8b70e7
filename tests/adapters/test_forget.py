"""Forgetting: once a store is made, nothing of single groups is left in the adapter's folder, and use says so."""

import numpy as np
import pytest
from safetensors.numpy import load_file

import latentveil as lv
from latentveil.adapters.adapter import load_adapter
from latentveil.adapters.forget import forget_key, has_key
from latentveil.adapters.saved import WEIGHTS_FILE
from latentveil.errors import InputError, Notice
from latentveil.types import FeatureSet


@pytest.fixture
def folder(tmp_path):
    random = np.random.default_rng(0)
    names = [f"v{number}" for number in range(24)]
    features = FeatureSet.from_arrays(
        {name: random.standard_normal((3, 8)).astype(np.float32) for name in names},
        stills={name: random.standard_normal((2, 8)).astype(np.float32) for name in names},
    )
    labels = {"video": names, "split": ["train"] * 24, "person": [str(n % 4) for n in range(24)]}
    lv.fit(
        features,
        labels,
        tmp_path / "adapter",
        groups="person",
        release=True,
        settings=["transport.components=4"],
        progress=False,
    )
    return tmp_path / "adapter", features


def test_a_forgotten_key_leaves_no_part_of_a_group(folder):
    path, features = folder
    adapter = load_adapter(path)
    assert has_key(adapter)
    assert adapter.config["recipe"]["settings"]["transport"]["secret"]
    known = adapter.network.groupings[0].group_mean.numpy().tobytes()
    assert known in (path / WEIGHTS_FILE).read_bytes()
    forget_key(path)
    assert known not in (path / WEIGHTS_FILE).read_bytes()
    weights = load_file(path / WEIGHTS_FILE)
    assert not [name for name in weights if name.startswith("network.parts.")]
    assert not weights["network.videos"].size
    assert not weights["network.look_axes"].size
    assert not has_key(load_adapter(path))
    with pytest.warns(Notice, match="has forgotten its groups"):
        safe = lv.apply(path, features, seed=0)
    assert np.isfinite(safe.feature).all()


def test_what_has_no_key_cannot_forget_it(folder):
    path, features = folder
    with pytest.raises(InputError, match="must be a store to forget"):
        lv.apply(path, features, forget=True)
    forget_key(path)
    with pytest.raises(InputError, match="must hold a key to forget"):
        forget_key(path)
    with pytest.raises(InputError, match="must be given by its folder"):
        lv.apply(load_adapter(path), features, forget=True)
