"""The audit's benchmark: a scene in which something is to be found, and seconds for every attack."""

import numpy as np

from benchmarks.speed.audit import make_scene, measure


def test_a_scene_has_people_secrets_clips_and_stills_of_which_some_looks_are_gone():
    scene = make_scene(num_videos=60, dim=8)
    assert len(scene.raw) == len(scene.anonymized) == 360
    assert len(np.unique(scene.labels.person)) == 20
    assert scene.labels.secrets == ["gender", "group"]
    changed = (scene.raw.feature != scene.anonymized.feature).any(axis=0)
    np.testing.assert_array_equal(changed, np.arange(8) % 2 == 0)


def test_every_attack_has_its_seconds():
    found = measure(num_videos=60, dim=8, attacks="lda,retrieval")
    assert {"lda", "retrieval", "linkability"} <= set(found["core_seconds"])
    assert found["core_time_over_one_eigendecomposition"] > 0
