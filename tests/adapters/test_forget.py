"""Forgetting: once a store is made, nothing of single groups is left in the adapter's folder, and use says so."""

from itertools import count

import numpy as np
import pytest
from safetensors.numpy import load_file

import latentveil as lv
from latentveil.adapters import forget
from latentveil.adapters.adapter import load_adapter
from latentveil.adapters.forget import finish_forgetting, forget_key, has_key, is_forgotten
from latentveil.adapters.saved import CARD_FILE, WEIGHTS_FILE
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


@pytest.fixture
def released(adapter_with_key, toy_folder, tmp_path):
    """The folders of an adapter with a key, of its source, and of the store that is to be released."""
    return adapter_with_key, toy_folder / "raw", tmp_path / "safe"


def test_what_is_left_says_what_it_was_and_keeps_its_card(released):
    path, *_ = released
    known = load_adapter(path)
    card = (path / CARD_FILE).read_text().replace("**Not audited yet.**", "| identity | 0.10 |")
    (path / CARD_FILE).write_text(card)
    left = forget_key(path)
    assert is_forgotten(left)
    assert left.config["forgotten_from"] == known.sha256() != left.sha256()
    kept = (path / CARD_FILE).read_text()
    assert "| identity | 0.10 |" in kept
    assert "8 groups" not in kept
    assert "its key is forgotten" in kept
    assert kept.replace(left.config["network"], known.config["network"]) == card


def test_the_same_command_again_finds_all_done_and_another_one_is_refused(released, recwarn, tmp_path):
    path, raw, safe = released
    made = lv.apply(path, raw, safe, forget=True, progress=False)
    content = made.read().feature
    again = lv.apply(path, raw, safe, forget=True, progress=False)
    assert again.path == made.path
    np.testing.assert_array_equal(again.read().feature, content)
    assert not [one for one in recwarn if "has forgotten its groups" in str(one.message)]
    with pytest.raises(InputError, match=r"other must be what this adapter made of .* before its key was"):
        lv.apply(path, raw, tmp_path / "other", forget=True, progress=False)
    assert not (tmp_path / "other").exists()


STEPS = ["save", "overwrite", "write 1", "write 2", "write 3", "remove"]


@pytest.mark.parametrize("step", STEPS)
def test_forgetting_that_was_stopped_is_finished_by_the_same_command(released, monkeypatch, step):
    path, raw, safe = released
    known = load_adapter(path)
    secret = known.network.groupings[0].group_mean.numpy().tobytes()
    with monkeypatch.context() as patched:
        die_at(step, patched)
        with pytest.raises(KeyboardInterrupt):
            lv.apply(path, raw, safe, forget=True, progress=False)
    if step in STEPS[1:-1]:
        with pytest.raises(InputError, match="key was being destroyed when a run was stopped"):
            load_adapter(path)
    made = lv.apply(path, raw, safe, forget=True, progress=False)
    assert made.derived_from.adapter_sha256 == known.sha256()
    left = load_adapter(path)
    assert left.config["forgotten_from"] == known.sha256()
    assert not has_key(left)
    for file in path.rglob("*"):
        assert file.is_dir() or secret not in file.read_bytes()
    assert not finish_forgetting(path)


def die_at(step, patched):
    """End the run at a step, half done."""
    name, _, number = step.partition(" ")
    if name == "save":
        patched.setattr("pathlib.Path.rename", dying(None))
    elif name == "overwrite":
        patched.setattr(forget, "_overwrite", dying(None, spoil=lambda file: file.write_bytes(b"random")))
    elif name == "write":  # after that of the card
        patched.setattr(forget, "write_whole", dying(forget.write_whole, at=1 + int(number)))
    else:
        patched.setattr(
            forget,
            "remove_tree",
            dying(forget.remove_tree, at=3, spoil=lambda folder: (folder / WEIGHTS_FILE).unlink()),
        )


def dying(function, *, at=1, spoil=lambda *_: None):
    """The function, which spoils something and ends the run when it is called for the ``at``-th time."""
    numbers = count(1)

    def call(*arguments):
        if next(numbers) < at:
            return function(*arguments)
        spoil(arguments[0])
        raise KeyboardInterrupt

    return call


def test_a_half_written_rest_does_not_stand_for_a_key_that_is_there(released):
    path, *_ = released
    (path / forget.HALF).mkdir()
    (path / forget.HALF / WEIGHTS_FILE).write_bytes(b"half")
    assert has_key(load_adapter(path))
    assert not has_key(forget_key(path))
    assert not (path / forget.HALF).exists()
