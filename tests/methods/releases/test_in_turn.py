"""Several columns in turn: each is hidden in what those before it leave, and what nobody grouped by stays."""

import numpy as np
import pytest
import torch

from latentveil.adapters.adapter import load_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.adapters.forget import forget_key
from latentveil.config import change_settings
from latentveil.errors import UsageError
from latentveil.methods.base import TrainingData
from latentveil.methods.releases import windows
from latentveil.methods.releases.levelling import GroupSums
from latentveil.methods.releases.noise import LEVELS, least_noise
from latentveil.methods.releases.quick_attacker import named
from latentveil.methods.transport import TransportSettings, fit
from latentveil.types import FeatureSet

PLACES, CLOTHES, ACTIONS, REPEATS, CLIPS, DIM = 4, 4, 2, 5, 2, 24
COLUMNS = ("place", "clothes", "action")


def release(seed=0):
    """Every action in all places and clothes; all three add an offset: (features, {column: {video: value}})."""
    random = np.random.default_rng(seed)
    offsets = [
        size * random.standard_normal((count, DIM))
        for size, count in ((3, PLACES), (1.5, CLOTHES), (3, ACTIONS))
    ]
    clips, columns = {}, {name: {} for name in COLUMNS}
    for number in range(PLACES * CLOTHES * ACTIONS * REPEATS):
        place, rest = number % PLACES, number // PLACES
        shown = place, rest % CLOTHES, rest // CLOTHES % ACTIONS
        name = f"v{number:03d}"
        mean = sum(offset[value] for offset, value in zip(offsets, shown))
        clips[name] = (mean + random.standard_normal((CLIPS, DIM))).astype(np.float32)
        for column, value in zip(COLUMNS, shown):
            columns[column][name] = str(value)
    return FeatureSet.from_arrays(clips, stills=None), columns


@pytest.fixture(scope="module")
def dressed():
    return release()


def fitted(dressed, groups, *changes):
    features, columns = dressed
    named = ["transport.components=12", f"transport.groups={groups}", *changes]
    return fit(
        TrainingData(features=features, groups=columns),
        change_settings(TransportSettings(), named, owner="transport"),
    )


def told(features, values):
    """The share of values that somebody names who knows three quarters of the videos, in the best of four ways."""
    names = sorted(values)
    rows = np.stack([features.feature[features.video == name].mean(axis=0) for name in names])
    group = np.unique([values[name] for name in names], return_inverse=True)[1]
    fold = np.random.default_rng(0).permutation(len(names)) % 4
    shares = [named(rows, group, known=fold != one, suspects=group.max() + 1) for one in range(4)]
    return np.mean(shares, axis=0).max()


def test_every_column_is_hidden_and_what_is_no_column_stays(dressed):
    features, columns = dressed
    assert all(told(features, columns[name]) > 0.8 for name in COLUMNS)
    found = []
    # One seed says little: three of 30 leave clothes at 0.5 or more, with coarse steps of noise as with fine ones.
    for seed in range(4):
        safe = anonymize(fitted(dressed, "place,clothes", f"train.seed={seed}"), features, seed=seed)
        found.append([told(safe, columns[name]) for name in COLUMNS])
    place, clothes, action = np.mean(found, axis=0)
    assert place < 0.5  # of four
    assert clothes < 0.5
    assert action > 0.9


def test_one_column_leaves_the_other(dressed):
    safe = anonymize(fitted(dressed, "place"), dressed[0], seed=0)
    assert told(safe, dressed[1]["clothes"]) > 0.7


@pytest.mark.parametrize("first", ["place", "clothes"])
@pytest.mark.parametrize("most", [80, 8_000])
def test_the_second_column_is_fitted_to_what_the_first_leaves_of_all(monkeypatch, dressed, first, most):
    """Of all videos, where only a sample of them is held, too."""
    monkeypatch.setattr(windows, "MAX_VIDEOS", most)
    second = ({"place", "clothes"} - {first}).pop()
    plain = ("transport.noise=0", "transport.temperature=0")
    network = fitted(dressed, f"{first},{second}", *plain).network
    alone = fitted(dressed, first, *plain)
    behind = anonymize(alone, dressed[0], seed=0)
    space = windows.Space(network.mean.double().numpy(), network.axes.double().numpy(), network.window)
    names = sorted(dressed[1][second])
    rows = np.concatenate([space.windows(behind.feature[behind.video == name]) for name in names])
    group = np.array([int(dressed[1][second][name]) for name in names])
    expected = GroupSums.of(rows, group).means
    own, other = network.groupings[0], alone.network.groupings[0]
    assert torch.allclose(own.placed, other.placed, atol=1e-4)  # the same draws: the seed is the same
    assert np.allclose(network.groupings[1].group_mean.numpy(), expected, atol=1e-3)


def test_saved_and_forgotten(dressed, tmp_path):
    features, columns = dressed
    adapter = fitted(dressed, "place,clothes")
    adapter.save(tmp_path / "adapter")
    again = anonymize(load_adapter(tmp_path / "adapter"), features, seed=3).feature
    assert np.array_equal(again, anonymize(adapter, features, seed=3).feature)
    left = anonymize(forget_key(tmp_path / "adapter"), features, seed=0)
    for column in ("place", "clothes"):  # strangers are hidden from both, by themselves
        assert told(left, columns[column]) < told(features, columns[column]) - 0.3


def test_noise_must_hide_each_column_and_not_their_mean():
    random = np.random.default_rng(0)
    strong, weak = np.repeat(np.arange(4), 20), np.tile(np.arange(4), 20)
    raw = 9 * np.eye(8)[strong] + 2 * np.eye(8)[weak + 4] + 0.3 * random.standard_normal((80, 8))
    middle = 2 * np.eye(8)[weak + 4] + 0.3 * random.standard_normal((80, 8))  # the weak one is all there
    asked = {"raw": raw, "middle": middle, "groupings": [strong, weak], "factor": np.eye(8), "hide": 0.4}
    together = least_noise(**asked, random=np.random.default_rng(1))
    each = least_noise(**asked, of_each=True, random=np.random.default_rng(1))
    assert together.level == LEVELS[0] < each.level


@pytest.mark.parametrize("groups", ["place,", "place,place", "place,stills", "video,place", ""])
def test_columns_are_named_once_each_and_alone_by_stills(groups):
    with pytest.raises(UsageError, match=r"transport\.groups"):
        change_settings(TransportSettings(), [f"transport.groups={groups}"], owner="transport")
