"""Feature sets through an adapter: row order kept, videos and stills kept apart."""

from dataclasses import replace

import numpy as np
import pytest
import torch

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.errors import InputError
from latentveil.types import FeatureSet, concatenate

DIM = 8


def make_features(seed=0):
    """Three videos of 2 to 4 clips and 2 stills each, rows shuffled."""
    random = np.random.default_rng(seed)
    rows = []
    for video, num_clips in (("a", 2), ("b", 4), ("c", 3)):
        rows += [(video, clip, 16 * clip, "temporal") for clip in range(num_clips)]
        rows += [(video, clip, 7 * clip, "static") for clip in range(2)]
    random.shuffle(rows)
    video, clip, start_frame, kind = zip(*rows)
    return FeatureSet(
        video=np.array(video),
        clip=np.array(clip),
        start_frame=np.array(start_frame),
        time=np.array(start_frame) / 25,
        kind=np.array(kind),
        view=np.full(len(rows), "validation"),
        feature=random.standard_normal((len(rows), DIM), dtype=np.float32),
    )


def test_clips_of_a_video_go_together_and_stills_alone():
    torch.manual_seed(0)
    adapter = Adapter(dim=DIM, layers=1, heads=2).eval()
    features = make_features()
    result = anonymize(adapter, features)
    assert np.array_equal(result.video, features.video)
    for video in features.videos:
        rows = np.flatnonzero((features.video == video) & (features.kind == "temporal"))
        rows = rows[np.argsort(features.start_frame[rows])]
        expected = adapter(torch.as_tensor(features.feature[rows])[None])[0].detach().numpy()
        np.testing.assert_allclose(result.feature[rows], expected, atol=1e-5)
    for row in np.flatnonzero(features.kind == "static"):
        expected = adapter(torch.as_tensor(features.feature[row])[None, None])[0, 0].detach().numpy()
        np.testing.assert_allclose(result.feature[row], expected, atol=1e-5)


def test_noise_is_fresh_unless_a_seed_is_given():
    adapter = Adapter(dim=DIM, architecture="affine", noise_rank=1).eval()
    adapter.noise_factor[0] = 1.0
    features = make_features()
    assert not np.array_equal(anonymize(adapter, features).feature, anonymize(adapter, features).feature)
    assert np.array_equal(
        anonymize(adapter, features, seed=3).feature, anonymize(adapter, features, seed=3).feature
    )


def test_noise_per_video_is_one_draw_for_its_clips_and_one_for_its_stills():
    """Otherwise the mean over four stills would carry half of the noise."""
    adapter = Adapter(dim=DIM, architecture="affine", noise_rank=DIM, noise_per="video").eval()
    adapter.noise_factor.copy_(torch.eye(DIM))
    features = make_features()
    noise = anonymize(adapter, features, clips_per_batch=2).feature - features.feature
    drawn = []
    for video in features.videos:
        for kind in ("temporal", "static"):
            rows = noise[(features.video == video) & (features.kind == kind)]
            np.testing.assert_allclose(rows, np.broadcast_to(rows[0], rows.shape), atol=1e-5)
            drawn.append(rows[0])
    assert np.linalg.matrix_rank(np.stack(drawn)) == len(drawn)


def test_views_of_a_video_share_its_noise():
    adapter = Adapter(dim=DIM, architecture="affine", noise_rank=1, noise_per="video").eval()
    adapter.noise_factor[0] = 1.0
    one = make_features()
    both = concatenate([one, replace(one, view=np.full(len(one), "training-1"))])
    noise = anonymize(adapter, both).feature[:, 0] - both.feature[:, 0]
    np.testing.assert_allclose(noise[: len(one)], noise[len(one) :], atol=1e-5)


def test_the_noise_of_a_video_does_not_depend_on_the_batches():
    adapter = Adapter(dim=DIM, architecture="affine", noise_rank=2, noise_per="video").eval()
    adapter.noise_factor[:2] = torch.eye(2)
    features = make_features()
    np.testing.assert_allclose(
        anonymize(adapter, features, seed=1, clips_per_batch=1).feature,
        anonymize(adapter, features, seed=1).feature,
        atol=1e-6,
    )


def test_another_dimension_is_refused():
    with pytest.raises(InputError, match="features must have the adapter's 4 dimensions, got 8"):
        anonymize(Adapter(dim=4, heads=2), make_features())


@pytest.mark.parametrize("dtype", [np.float16, np.float64])
def test_features_keep_their_precision(dtype):
    features = make_features()
    given = features.with_feature(features.feature.astype(dtype))
    result = anonymize(Adapter(dim=DIM, layers=1, heads=2), given)
    assert result.feature.dtype == dtype


def test_alone_no_video_depends_on_those_it_shares_a_batch_with():
    """As the public code passes the videos of THUMOS14 and the test videos of UCF-Crime."""
    features = make_features()
    adapter = Adapter(dim=DIM, architecture="released", attends="batch", layers=1, heads=2)
    some = features.of_videos(features.videos[:1])
    whole = anonymize(adapter, features, alone=True).of_videos(some.videos)
    np.testing.assert_allclose(
        whole.feature, anonymize(adapter, some, alone=True).feature, rtol=1e-4, atol=1e-5
    )
    mixed = anonymize(adapter, features).of_videos(some.videos)
    assert not np.allclose(whole.feature, mixed.feature, atol=1e-4)
