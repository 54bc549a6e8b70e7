"""The network of `transport` where short videos have windows of their own."""

import json

import numpy as np
import pytest
import torch
from safetensors.numpy import load_file

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.adapters.forget import forget_key
from latentveil.adapters.saved import CONFIG_FILE, WEIGHTS_FILE
from latentveil.errors import InputError
from latentveil.types import FeatureSet
from tests.methods.mixed_release import COMPONENTS, DIM, LONG, PEOPLE, SHORT, clips_of, fitted, release

# fmt: off
NAMES_OF_BEFORE = {
    "noise_factor", "mean", "axes", "centre", "stranger", "noise", "stranger_noise", "still_noise", "videos",
    "look_mean", "look_axes", "parts.0.group_mean", "parts.0.scale", "parts.0.first_row", "parts.0.source",
    "parts.0.target", "parts.0.placed", "parts.0.references", "parts.0.is_reference", "parts.0.temperature",
    "parts.0.group_of_video", "parts.0.look_centres", "parts.0.look_radius",
}
# fmt: on


@pytest.fixture(scope="module")
def mixed():
    features, person = release()
    return features, person, fitted(features, person)


def test_each_length_has_its_windows(mixed):
    features, _, adapter = mixed
    network = adapter.network
    assert (network.window, network.short.window) == (1, SHORT)
    assert adapter.config["noise_rank"] == COMPONENTS * SHORT
    assert "videos of up to 3 clips whole" in adapter.config["network"]
    # a portion knows the videos that it moves, and no others
    assert int(network.short.groupings[0].is_reference.sum()) == PEOPLE * 24
    assert int(network.groupings[0].is_reference.sum()) == PEOPLE * 18 * LONG
    batch, mask = torch.zeros(2, LONG, DIM), torch.zeros(2, LONG, dtype=torch.bool)
    batch[0], mask[0] = torch.as_tensor(features.feature[features.video == "l30p0"][:LONG]), True
    batch[1, :SHORT] = torch.as_tensor(features.feature[features.video == "s00p0"][:SHORT])
    mask[1, :SHORT] = True
    together = adapter(batch, mask, noise=torch.zeros(2, 1, 24))
    alone = adapter(batch[1:, :SHORT], noise=torch.zeros(1, 1, 24))
    torch.testing.assert_close(together[1, :SHORT], alone[0])
    torch.testing.assert_close(together[0], adapter(batch[:1], noise=torch.zeros(1, 1, 24))[0])
    assert not together[1, SHORT:].any()


def test_noise_is_one_draw_per_video_of_either_length(mixed):
    features, _, adapter = mixed
    one, two = (anonymize(adapter, features, seed=seed) for seed in (0, 1))
    difference = one.with_feature(one.feature - two.feature)
    (long,) = clips_of(difference, ["l30p0"])
    np.testing.assert_allclose(long, np.broadcast_to(long[0], long.shape), atol=1e-4)
    assert np.abs(long).max() > 0.01
    (short,) = clips_of(difference, ["s00p0"])
    assert np.abs(short).max(axis=1).min() > 0.01


def test_strangers_are_moved_by_what_all_videos_of_their_length_share(mixed):
    *_, adapter = mixed
    network = adapter.network
    with torch.no_grad():
        for mover, count in ((network.short, SHORT), (network, 1)):
            places = torch.randn(1, count, 8)
            features = places @ network.axes.T + network.mean
            if mover is network:
                features = features.expand(1, LONG, DIM)
            vector = places.reshape(1, -1)
            alone = mover.centre + (vector - mover.centre) @ mover.stranger
            group = mover.groupings[0]
            expected = (
                group(vector, torch.tensor([-1]), alone).view(count, -1) @ network.axes.T + network.mean
            )
            found = adapter(features, noise=torch.zeros(1, 1, 24))[0, :count]
            torch.testing.assert_close(found, expected, rtol=1e-4, atol=1e-4)


def test_a_later_short_video_of_a_group_that_had_none_is_a_stranger():
    """Nothing is known of how this person's short videos differ: left as it is, a video would tell its person."""
    features, person = release()
    without = features.of_videos([v for v in features.videos if not (v.startswith("s") and person[v] == "0")])
    adapter = fitted(without, person, "transport.noise=0", "transport.temperature=0")
    later = features.of_videos(["s00p0"])
    assert adapter.network.groups_of(later) == {"s00p0": (0,)}
    mover = adapter.network.short
    assert not mover.groupings[0].scale[0]
    shown = anonymize(adapter, later, seed=0).of_kind("temporal").feature
    stranger = FeatureSet.from_arrays({"nobody": later.of_kind("temporal").feature})
    np.testing.assert_allclose(shown, anonymize(adapter, stranger, seed=0).feature, atol=1e-5)


def test_forgetting_leaves_nothing_of_a_group_in_either_portion(mixed, tmp_path):
    features, _, adapter = mixed
    adapter.save(tmp_path / "adapter")
    secrets = [
        value.numpy().tobytes()
        for mover in (adapter.network, adapter.network.short)
        for value in (mover.groupings[0].group_mean, mover.groupings[0].references)
    ]
    held = (tmp_path / "adapter" / WEIGHTS_FILE).read_bytes()
    assert all(secret in held for secret in secrets)
    left = forget_key(tmp_path / "adapter")
    weights = load_file(tmp_path / "adapter" / WEIGHTS_FILE)
    assert not [name for name in weights if ".parts." in name]
    held = (tmp_path / "adapter" / WEIGHTS_FILE).read_bytes()
    assert not any(secret in held for secret in secrets)
    assert left.config["short"] == {"window": SHORT, "groupings": []}
    shown = anonymize(left, features, seed=0)
    assert np.isfinite(shown.feature).all()
    # what is left adds the noise of strangers, to short videos that of short ones
    still = torch.zeros(1, SHORT, DIM)
    noise = torch.randn(1, 1, 24)
    away = (left(still, noise=noise) - left(still, noise=torch.zeros(1, 1, 24)))[0] @ left.network.axes
    expected = (noise[0] @ adapter.network.short.stranger_noise.T).view(SHORT, -1)
    torch.testing.assert_close(away, expected, rtol=1e-3, atol=1e-3)


def test_an_adapter_of_before_loads_as_it_was(tmp_path):
    """Its config knows of no short videos, and its weights have the names they had."""
    features, person = release(short=6, long=0)
    adapter = fitted(features, person)
    adapter.save(tmp_path)
    config = json.loads((tmp_path / CONFIG_FILE).read_text())
    assert config.pop("short") is None
    (tmp_path / CONFIG_FILE).write_text(json.dumps(config))
    loaded = load_adapter(tmp_path)
    assert loaded.sha256() == adapter.sha256()
    np.testing.assert_array_equal(*(anonymize(one, features, seed=0).feature for one in (adapter, loaded)))
    assert {name.removeprefix("network.") for name in load_file(tmp_path / WEIGHTS_FILE)} == NAMES_OF_BEFORE


def test_portions_of_other_groups_are_refused():
    sizes = [{"groups": 3}]
    with pytest.raises(InputError, match=r"short.groupings must be of \[3\] groups"):
        Adapter(
            dim=8,
            architecture="transport",
            groupings=sizes,
            short={"window": 2, "groupings": [{"groups": 4}]},
        )
