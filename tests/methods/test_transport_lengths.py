"""Which videos are moved whole, and which clip by clip."""

import numpy as np
import pytest

from latentveil.adapters.anonymize import anonymize
from latentveil.methods.transport_groups import Groups
from latentveil.methods.transport_lengths import LEAST_VIDEOS, WHOLE_VIDEO, portions_of
from latentveil.types import FeatureSet
from tests.methods.mixed_release import PEOPLE, SHORT, clips_of, fitted, release


def grouped(videos, groups=4):
    return [Groups({name: n % groups for n, name in enumerate(videos)}, None, np.zeros((0, 0)), np.zeros(0))]


def clip_counts(short, long, *, most=2):
    return {f"s{n}": 1 + n % most for n in range(short)} | {f"l{n}": 5 + n for n in range(long)}


@pytest.mark.parametrize(
    ("short", "long", "windows", "fitted_to"),
    [
        (9, 0, (2, None), (9, None)),
        (0, 9, (1, None), (9, None)),
        (LEAST_VIDEOS - 1, 200, (1, None), (LEAST_VIDEOS + 199, None)),
        (LEAST_VIDEOS, 200, (1, 2), (200, LEAST_VIDEOS)),
        (200, LEAST_VIDEOS, (1, 2), (LEAST_VIDEOS, 200)),
        (200, LEAST_VIDEOS - 1, (1, 2), (LEAST_VIDEOS + 199, 200)),
        (200, 1, (1, 2), (201, 200)),
    ],
)
def test_a_portion_of_its_own_needs_videos_enough(short, long, windows, fitted_to):
    clips = clip_counts(short, long)
    found = portions_of(clips, grouped(clips))
    assert tuple(one and one.window for one in found) == windows
    assert tuple(one and len(one.videos) for one in found) == fitted_to


def test_a_portion_of_its_own_needs_groups_of_a_few():
    clips = clip_counts(200, 200)
    alone = {name: 0 if name.startswith("s") else n for n, name in enumerate(clips)}
    one_group = Groups(alone, None, np.zeros((0, 0)), np.zeros(0))
    assert portions_of(clips, grouped(clips))[1] is not None
    assert portions_of(clips, [*grouped(clips), one_group])[1] is None
    assert portions_of(clips, grouped(clips, groups=100))[1] is None  # two short videos of each
    most_alone = {name: n % 4 if n % 3 == 0 else n for n, name in enumerate(clips)}  # two thirds
    assert portions_of(clips, [Groups(most_alone, None, np.zeros((0, 0)), np.zeros(0))])[1] is None


def test_a_window_that_is_set_moves_all_videos():
    clips = clip_counts(200, 200)
    everything, short = portions_of(clips, grouped(clips), window=3)
    assert (everything.window, len(everything.videos), short) == (3, 400, None)


ONE_LENGTH = [(6, 0, SHORT), (0, 6, 1)]
# The first and the last numbers of both, recorded before short videos were moved beside long ones.
RECORDED = [
    ([0.9957973, 1.2424541, 0.6296231], [-0.9222057, 2.2044435, 1.4908240]),
    ([-5.5192370, -6.7005272, 0.7407636], [0.7653019, 5.5795107, 6.7263899]),
]


@pytest.mark.parametrize(("short", "long", "window"), ONE_LENGTH)
def test_videos_of_one_length_are_moved_as_with_that_window(short, long, window):
    features, person = release(short=short, long=long)
    usual, chosen = (fitted(features, person, f"transport.window={size}") for size in (0, window))
    assert usual.config["short"] is None
    assert usual.sha256() == chosen.sha256()
    shown = [anonymize(one, features, seed=0).feature for one in (usual, chosen)]
    np.testing.assert_array_equal(*shown)


@pytest.mark.parametrize(("lengths", "recorded"), [*zip(ONE_LENGTH, RECORDED)])
def test_videos_of_one_length_come_out_as_they_did(lengths, recorded):
    """Without draws, which differ between builds of the linear algebra."""
    short, long, _ = lengths
    features, person = release(short=short, long=long)
    adapter = fitted(features, person, "transport.draw=0", "transport.noise=0")
    shown = anonymize(adapter, features, seed=0).of_kind("temporal").feature
    np.testing.assert_allclose([shown[0, :3], shown[-1, -3:]], recorded, rtol=1e-3)


def test_one_long_video_no_longer_changes_how_short_ones_are_moved():
    features, person = release(short=24, long=0)
    one, owner = release(short=0, long=1)
    one = one.of_videos(one.videos[:1])
    clips = {
        name: rows.astype(np.float32)
        for name, rows in zip(features.videos, clips_of(features, features.videos))
    }
    clips[one.videos[0]] = one.of_kind("temporal").feature
    together = FeatureSet.from_arrays(clips)
    network = fitted(together, person | owner).network
    assert (network.window, network.short.window) == (1, SHORT)


def test_few_long_videos_are_moved_as_if_short_ones_were_moved_clip_by_clip():
    features, person = release(short=24, long=4)
    assert PEOPLE * 4 < LEAST_VIDEOS
    beside, before = (
        anonymize(
            fitted(features, person, "transport.noise=0", f"transport.window={window}"), features, seed=0
        )
        for window in (0, 1)
    )
    long = beside.video.astype(str).astype("U1") == "l"
    clips = beside.kind == "temporal"
    np.testing.assert_array_equal(beside.feature[long & clips], before.feature[long & clips])
    assert not np.allclose(beside.feature[~long & clips], before.feature[~long & clips])


def test_short_videos_of_different_lengths_lend_their_last_clip():
    features, person = release(short_clips=(2, 3, 4))
    adapter = fitted(features, person, "transport.noise=0")
    assert adapter.network.short.window == WHOLE_VIDEO
    (two,) = clips_of(features, ["s00p0"])
    lent = np.concatenate([two, two[-1:], two[-1:]]).astype(np.float32)
    cut = FeatureSet.from_arrays({"s00p0": two.astype(np.float32)})
    filled = FeatureSet.from_arrays({"s00p0": lent})
    np.testing.assert_allclose(
        anonymize(adapter, cut, seed=0).feature, anonymize(adapter, filled, seed=0).feature[:2], atol=1e-5
    )
