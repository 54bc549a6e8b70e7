"""People who are told by how far the clips of their videos lie apart, whatever these show on average."""

import numpy as np
import pytest

from latentveil.auditing.recipients import find_recipient
from latentveil.auditing.risks.linkability import measure_linkability
from latentveil.auditing.risks.singling_out import measure_singling_out
from latentveil.labels import Labels
from latentveil.types import FeatureSet

NUM_PEOPLE, NUM_VIDEOS, NUM_CLIPS, DIM = 24, 8, 6, 12


def moved_as_one(*, telling: bool) -> tuple[FeatureSet, FeatureSet, Labels]:
    """Raw clips and the same ones with noise that is drawn once per video, far larger than all else.

    ``telling`` says whether everybody has a spread of clips of their own.
    """
    random = np.random.default_rng(0)
    person = np.repeat(np.arange(NUM_PEOPLE), NUM_VIDEOS)
    video = [f"v{number:03}" for number in range(len(person))]
    spread = (
        np.exp(0.8 * random.normal(size=(NUM_PEOPLE, 1, DIM))) if telling else np.ones((NUM_PEOPLE, 1, 1))
    )
    clips = spread[person] * random.normal(size=(len(person), NUM_CLIPS, DIM))
    clips -= clips.mean(axis=1, keepdims=True)
    raw = clips + random.normal(size=(NUM_PEOPLE, 1, DIM))[person]
    noisy = raw + 20 * random.normal(size=(len(person), 1, DIM))
    split = np.tile(["train"] * 4 + ["val"] * 2 + ["test"] * 2, NUM_PEOPLE)
    labels = Labels(np.array(video), split, np.array([f"p{number:02}" for number in person]))
    before, after = (
        FeatureSet.from_arrays(dict(zip(video, clips.astype(np.float32)))) for clips in (raw, noisy)
    )
    return before, after, labels


@pytest.mark.parametrize("recipient", ["features", "raw"])
def test_linked_by_spread(recipient):
    raw, noisy, labels = moved_as_one(telling=True)
    found = measure_linkability(raw, noisy, labels, kind="temporal", recipient=find_recipient(recipient))
    links = [found.anonymized, found.raw_to_anonymized or found.anonymized]
    for one in (one["any_recording"].video for one in links):
        assert one.auc.value > 0.9
        assert all(name.startswith("spread of clips: ") for name in one.attacks)


def test_singled_out_by_spread():
    raw, noisy, labels = moved_as_one(telling=True)
    found = measure_singling_out(raw, noisy, labels, kind="temporal")
    assert found.anonymized[-1].top1.value > 0.8
    assert found.anonymized[-1].attacks[0].startswith("spread of clips: ")


def test_nobody_is_told_by_a_spread_that_all_share():
    raw, noisy, labels = moved_as_one(telling=False)
    linked = measure_linkability(
        raw, noisy, labels, kind="temporal", recipient=find_recipient("labels")
    ).anonymized["any_recording"]
    assert linked.video.auc.low < 0.5 < linked.video.auc.high
    named = measure_singling_out(raw, noisy, labels, kind="temporal")
    assert named.anonymized[-1].top1.low <= named.chance
