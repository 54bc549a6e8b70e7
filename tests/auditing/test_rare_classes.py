"""Where one class is nearly all there is, top-1 accuracy says that nothing leaks; a flag says otherwise, if it does."""

import numpy as np
import pytest

from latentveil.auditing.leakage import attack_both
from latentveil.auditing.rare_classes import flag_rare_classes
from latentveil.labels import Labels
from latentveil.types import FeatureSet

NUM_PEOPLE, NUM_VIDEOS, DIM = 90, 4, 8
SHARES = {"too few": (0.92, 0.04, 0.04), "unbalanced": (0.84, 0.08, 0.08), "balanced": (1 / 3, 1 / 3, 1 / 3)}


def flags_of(*, shares, size, secret="skin"):
    """What is flagged for LDA on three classes, each in a direction of its own; ``size`` is how far out."""
    random = np.random.default_rng(0)
    rare = [round(share * NUM_PEOPLE) for share in SHARES[shares][1:]]
    skin = np.repeat(np.repeat(np.arange(3), [NUM_PEOPLE - sum(rare), *rare]), NUM_VIDEOS)
    feature = (size * np.eye(DIM)[skin] + random.normal(size=(len(skin), DIM))).astype(np.float32)
    video = np.array([f"v{number:03}" for number in range(len(skin))])
    person = np.repeat([f"p{number:03}" for number in range(NUM_PEOPLE)], NUM_VIDEOS)
    labels = Labels(video, np.full(len(video), "test"), person, {"secret_skin": skin.astype(str)})
    features = FeatureSet.from_arrays(feature, video=video)
    both = attack_both(features, features, labels, secret, kind="temporal", attacks=["lda"])
    return both.compare(), flag_rare_classes(both.anonymized, both.compare(), seed=0)


def test_rare_classes_that_can_be_told_are_flagged():
    found, flags = flags_of(shares="unbalanced", size=0.9)
    assert found.learned.low < 0  # as if there might be nothing
    [flag] = flags
    assert flag.flag == "rare_classes_unseen"
    assert "Skin in temporal clips: the most frequent class is right for 84% of videos" in flag.why


@pytest.mark.parametrize(
    "scene",
    [
        {"shares": "unbalanced", "size": 0.0},
        {"shares": "balanced", "size": 0.9},
        {"shares": "unbalanced", "size": 0.9, "secret": "identity"},
        {"shares": "too few", "size": 0.9},
    ],
)
def test_nothing_is_flagged_where_nothing_leaks_or_top1_sees_it(scene):
    assert flags_of(**scene)[1] == []
