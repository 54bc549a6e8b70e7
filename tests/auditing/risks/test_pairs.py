"""What is compared with what, and who counts how much."""

import numpy as np
import pytest

from latentveil.auditing.risks.pairs import make_units
from latentveil.auditing.risks.tally import draw_pairs

PERSON = np.array(["a", "a", "a", "a", "b", "b", "b", "b", "c"])
PLACE = np.array(["x", "x", "y", "y", "x", "x", "", "", "z"])


def units(pairs, pooling, *, recording=PLACE):
    return make_units(PERSON, recording, pairs=pairs, pooling=pooling, seed=0)


def test_single_videos_are_compared_by_recording():
    same, other = (units(pairs, "video").candidates(pairs) for pairs in ("same_recording", "other_recording"))
    assert same[0, 1]
    assert same[0, 4]
    assert not same[2, 3]  # nobody else was filmed in y
    assert not same[0, 0]
    assert other[0, 2]
    assert other[0, 8]
    assert not other[0, 6]  # a blank recording may be any
    assert not same[6, 7]


def test_halves_meet_only_each_other():
    found = units("any_recording", "pooled", recording=None)
    assert sorted(zip(found.person.tolist(), found.half.tolist())) == [
        ("a", 0),
        ("a", 1),
        ("b", 0),
        ("b", 1),
        ("c", 0),
    ]
    allowed = found.candidates("any_recording")
    assert not allowed[found.half[:, None] == found.half].any()
    assert (allowed & found.same).sum() == 4
    values = np.arange(9.0)[:, None]
    for unit, mean in enumerate(found.means(values)):
        assert mean[0] == pytest.approx(values[found.unit_of_video == unit].mean())


def test_actions_are_dealt_to_halves_alike_for_everybody():
    person, action = np.repeat(["a", "b", "c"], 4), np.tile(["run", "sit", "wave", "jump"], 3)
    found = make_units(person, None, action=action, pairs="any_recording", pooling="pooled", seed=1)
    shown = {
        (str(found.person[unit]), int(found.half[unit])): set(action[found.unit_of_video == unit])
        for unit in range(6)
    }
    assert shown["a", 0] == shown["b", 0] == shown["c", 0]
    assert len(shown["a", 0]) == len(shown["a", 1]) == 2


def test_who_shows_one_action_is_dealt_by_video():
    person, action = np.repeat(["a", "b"], 4), np.repeat(["run", "sit"], 4)
    found = make_units(person, None, action=action, pairs="any_recording", pooling="pooled", seed=0)
    assert sorted(found.half.tolist()) == [0, 0, 1, 1]


def test_pairs_of_one_action_are_compared_where_people_have_such_of_their_own():
    person = np.repeat(["a", "b"], 4)
    once, twice = np.tile(["run", "sit", "wave", "jump"], 2), np.tile(["run", "run", "sit", "sit"], 2)
    for action, compared in ((once, False), (twice, True)):
        found = make_units(person, None, action=action, pairs="any_recording", pooling="video", seed=0)
        assert found.candidates("any_recording")[0, 4] == compared
        assert found.candidates("any_recording")[0, 3]


def test_across_recordings_all_videos_of_a_recording_are_pooled():
    found = units("other_recording", "pooled")
    allowed = found.candidates("other_recording") & found.same
    assert {(found.person[i], found.recording[i], found.recording[j]) for i, j in np.argwhere(allowed)} == {
        ("a", "x", "y"),
        ("a", "y", "x"),
    }


@pytest.mark.parametrize("pairs", ["same_recording", "other_recording", "any_recording"])
def test_in_halves_single_videos_are_dealt_as_pooled_ones_are(pairs):
    single, pooled = (
        make_units(PERSON, PLACE, pairs=pairs, pooling=pooling, seed=0, in_halves=True)
        for pooling in ("video", "pooled")
    )
    np.testing.assert_array_equal(single.half, pooled.half[pooled.unit_of_video])
    assert set(single.half.tolist()) == {0, 1}
    allowed = single.candidates(pairs)
    assert allowed.any()
    assert not allowed[single.half[:, None] == single.half].any()


def test_in_halves_a_recording_is_never_cut_where_others_are_looked_for():
    found = make_units(PERSON, PLACE, pairs="other_recording", pooling="video", seed=0, in_halves=True)
    assert found.half[0] == found.half[1] != found.half[2] == found.half[3]


def test_everybody_counts_the_same_however_many_videos_they_have(monkeypatch):
    person = np.repeat(["often", "seldom", "other"], [30, 2, 5])
    found = make_units(person, None, pairs="any_recording", pooling="video", seed=0)
    allowed = np.triu(found.candidates("any_recording"))
    for limit in (10_000, 40):
        monkeypatch.setattr("latentveil.auditing.risks.tally.MAX_DIFFERENT", limit)
        monkeypatch.setattr("latentveil.auditing.risks.tally.MAX_SAME", limit)
        pairs = draw_pairs(found, allowed).scored(np.zeros((37, 37)))
        for name in ("often", "seldom", "other"):
            of_person = pairs.same & (person[pairs.first] == name)
            assert pairs.share[of_person].sum() == pytest.approx(1)
        assert pairs.share[~pairs.same].sum() == pytest.approx(3)
        assert pairs.num_different <= limit
