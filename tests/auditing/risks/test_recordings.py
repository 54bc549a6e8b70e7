"""Recordings less what their videos share: each by itself, none that shows one person."""

import numpy as np

from latentveil.auditing.risks.alignment import centred
from latentveil.auditing.risks.recordings import (
    each_changed,
    shared_recordings,
)

RANDOM = np.random.default_rng(0)


def test_each_recording_is_changed_by_itself_and_blank_ones_as_all_are():
    feature = RANDOM.normal(size=(12, 3)).astype(np.float32) + 7
    recording = np.array(["a", "a", "b", ""] * 3)
    held = np.arange(12) % 5 != 0
    for mask in (None, held):
        expected = np.empty_like(feature)
        for row in range(12):
            alike = np.full(12, True) if recording[row] == "" else recording == recording[row]
            expected[row] = feature[row] - feature[alike if mask is None else alike & mask].mean(axis=0)
        found = each_changed(feature, recording, centred, held=mask)
        assert found.dtype == np.float32
        np.testing.assert_allclose(found, expected, atol=1e-5)


def test_a_recording_of_which_nothing_is_held_becomes_zeros():
    found = each_changed(
        RANDOM.normal(size=(4, 2)), np.array(["a", "a", "b", "b"]), centred, held=np.array([1, 1, 0, 0]) > 0
    )
    assert found[:2].any()
    assert not found[2:].any()


def test_a_recording_of_one_person_is_none():
    found = shared_recordings(np.array(["a", "a", "b", "b", "b"]), np.array(["p", "p", "p", "p", "q"]))
    assert found.tolist() == ["", "", "b", "b", "b"]
    assert shared_recordings(None, np.array(["p"])) is None
