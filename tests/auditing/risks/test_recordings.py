"""Recordings less what their videos share: each by itself, none that shows one person, none whose people differ."""

import numpy as np
import pytest

from latentveil.auditing.risks.alignment import centred
from latentveil.auditing.risks.recordings import (
    apart_from_known,
    each_changed,
    is_clearly_more,
    share_taken,
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


def of_days(*days, people=6):
    """Everybody has a video on each of the days, whose names are single letters; asked about are capitals."""
    recording = np.tile(np.array(days), people)
    return recording, np.repeat(np.arange(people), len(days)).astype(str), np.char.isupper(recording)


def test_recordings_are_centred_where_people_are_asked_about_on_another_day():
    recording, person, asked = of_days("a", "b", "C")
    found = apart_from_known(recording, person, asked)
    assert found[:3].tolist() == ["known a", "known b", "asked C"]


def test_known_and_asked_videos_of_one_recording_are_not_centred_together():
    recording, person, asked = of_days("a", "b", "C", "D", "a")
    asked[4::5] = True
    assert apart_from_known(recording, person, asked)[:5].tolist() == [
        "known a",
        "known b",
        "asked C",
        "asked D",
        "asked a",
    ]


@pytest.mark.parametrize(
    "days",
    [("a", "a", "A"), ("a", "b", "A", "B"), ("a", "b", "A", "C")],
    ids=["one day", "the same days", "half of them"],
)
def test_recordings_stay_where_asked_ones_are_known(days):
    recording, person, asked = of_days(*days)
    assert apart_from_known(np.char.lower(recording), person, asked) is None


def test_recordings_stay_where_nothing_is_known_of_them():
    recording, person, asked = of_days("a", "B")
    assert apart_from_known(None, person, asked) is None
    assert apart_from_known(np.where(asked, "", recording), person, asked) is None


def test_recordings_stay_where_asked_ones_show_one_person_each():
    recording, person, asked = of_days("a", "B")
    assert apart_from_known(np.char.add(recording, person), person, asked) is None


def test_recordings_stay_where_other_people_are_in_them():
    """Known on days of two people, and asked about on a day with somebody else: its mean is a person, nearly."""
    recording, person, asked = of_days("a", "B", people=40)
    number = np.arange(len(person)) // 2
    pairs = np.where(asked, number // 2, number // 2 % 10 * 2 + number % 2)
    assert apart_from_known(np.char.add(recording, pairs.astype(str)), person, asked) is None
    halves = np.where(asked, number % 2, number // 20)  # twenty on each day, ten of them on the day before
    assert apart_from_known(np.char.add(recording, halves.astype(str)), person, asked) is not None


def test_the_share_that_is_taken_by_a_loop():
    """How far the means of two places are apart that show people who are independent numbers of variance 1."""
    places = np.array(["k", "k", "k", "l", "l", "a", "a", "b"])
    person = np.array(["p", "p", "q", "q", "r", "p", "q", "r"])
    asked = places < "k"
    looks = dict(zip("pqr", RANDOM.normal(size=(3, 200_000))))
    shown = {
        place: np.mean([looks[one] for one in person[places == place]], axis=0) for place in np.unique(places)
    }
    apart = [np.square(shown[one] - shown[other]).mean() for one in places[asked] for other in places[~asked]]
    assert share_taken(places, person, asked) == pytest.approx(np.mean(apart), rel=0.02)
    recording, person, asked = of_days("a", "B", "C")
    assert share_taken(recording, person, asked) == pytest.approx(0, abs=1e-12)


def test_one_video_of_twenty_is_luck_and_ten_are_not():
    assert not is_clearly_more(1.0, 0.95, count=20)
    assert is_clearly_more(1.0, 0.5, count=20)
    assert not is_clearly_more(0.5, 1.0, count=20)
    assert not is_clearly_more(1.0, 1.0, count=20)
