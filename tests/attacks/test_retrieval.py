"""Retrieval by hand: who is most similar to whom."""

import numpy as np

from latentveil.attacks.base import AttackerKnowledge, LabelledFeatures
from latentveil.attacks.retrieval import Retrieval, cosine_similarity, retrieval_hits

GALLERY = np.array([[1.0, 0.0], [0.0, 2.0], [3.0, 3.0]])
PROBE = np.array([[10.0, 1.0], [1.0, 1.1], [0.0, 0.0]])


def test_cosines_by_hand():
    expected = [
        [10 / np.sqrt(101), 1 / np.sqrt(101), 11 / np.sqrt(202)],
        [1 / np.sqrt(2.21), 1.1 / np.sqrt(2.21), 2.1 / np.sqrt(4.42)],
        [0, 0, 0],
    ]
    np.testing.assert_allclose(cosine_similarity(PROBE, GALLERY), expected)


def test_hits_by_hand():
    similarity = cosine_similarity(PROBE[:2], GALLERY)
    people = np.array(["ann", "bob", "cid"])
    assert retrieval_hits(similarity, people, np.array(["ann", "bob"])).tolist() == [True, False]
    assert retrieval_hits(similarity, people, np.array(["ann", "cid"])).tolist() == [True, True]


def test_excluded_pairs_are_not_compared():
    similarity = np.array([[0.9, 0.5, 0.1], [0.9, 0.5, 0.1]])
    excluded = np.array([[True, False, False], [True, True, True]])
    hits = retrieval_hits(similarity, np.array(["a", "b", "c"]), np.array(["b", "a"]), excluded=excluded)
    assert hits.tolist() == [True, False]  # the second probe may be compared with nobody


def test_the_attack_names_the_person_of_the_nearest_gallery_item():
    """Two clouds per person, so that class means would mislead."""
    angle = np.deg2rad([0, 90, 180, 270] * 12)
    jitter = np.random.default_rng(0).normal(scale=0.05, size=48)
    feature = np.stack([np.cos(angle + jitter), np.sin(angle + jitter)], axis=1).astype(np.float32)
    part = LabelledFeatures(feature, np.arange(48) % 2, np.arange(48).astype(str))
    probe = np.deg2rad(np.array([1.0, 91, 179, 272]))
    feature = np.stack([np.cos(probe), np.sin(probe)], axis=1).astype(np.float32)
    answers = Retrieval().run(AttackerKnowledge(part, part, 2), feature, np.array(list("abcd")), seed=0)
    assert answers.probabilities.argmax(axis=1).tolist() == [0, 1, 0, 1]
