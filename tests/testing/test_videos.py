"""The videos that contracts are tried on: every split has every class, and a split can be changed alone."""

import numpy as np

from latentveil.testing.videos import make_videos


def test_every_split_has_every_class():
    labels = make_videos().labels
    for split in ("train", "val", "test"):
        part = labels.only(labels.videos(split))
        for name in ("action", "anomaly", "secret_gender"):
            assert len(set(part.column(name).tolist())) == 2


def test_one_split_is_changed_and_no_other():
    videos = make_videos()
    other = videos.with_other("test")
    changed = (videos.features.feature != other.features.feature).any(axis=1)
    assert set(videos.features.video[changed].tolist()) == set(videos.labels.videos("test"))
    flipped = videos.labels.column("gender") != other.labels.column("gender")
    np.testing.assert_array_equal(flipped, videos.labels.split == "test")
