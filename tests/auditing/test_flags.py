"""Every flag is raised where it should be, says its numbers, and is silent elsewhere."""

import numpy as np
import pytest

from latentveil.auditing import flags
from latentveil.errors import InputError
from latentveil.types import Interval


def test_each_flag_speaks_only_where_it_must():
    cases = {
        "planted_secret_missed": (flags.planted_secret_missed(0.7), flags.planted_secret_missed(0.99)),
        "too_few_people": (flags.too_few_people(10), flags.too_few_people(55)),
        "randomised_release": (
            flags.randomised_release(True, num_draws=4, num_risk_draws=1),
            flags.randomised_release(False, num_draws=1, num_risk_draws=1),
        ),
        "scaling_only": (flags.scaling_only(0.0), flags.scaling_only(0.4)),
        "raw_at_ceiling": (flags.raw_at_ceiling(1.0, chance=0.1), flags.raw_at_ceiling(0.9, chance=0.1)),
        "raw_not_above_chance": (
            flags.raw_not_above_chance(Interval(0.6, 0.45, 0.7), chance=0.5),
            flags.raw_not_above_chance(Interval(0.6, 0.55, 0.7), chance=0.5),
        ),
        "below_chance": (
            flags.below_chance(Interval(0.0, 0.0, 0.01), chance=0.02),
            flags.below_chance(Interval(0.01, 0.0, 0.03), chance=0.02),
        ),
        "linked_turned_round": (
            flags.linked_turned_round(["as is: cosine, turned round"], Interval(0.9, 0.8, 1.0)),
            flags.linked_turned_round(["as is: cosine, turned round"], Interval(0.6, 0.4, 0.8)),
        ),
        "memorised_consistency": (
            flags.memorised_consistency(0.0, 6.5),
            flags.memorised_consistency(0.3, 0.4),
        ),
    }
    for name, (raised, silent) in cases.items():
        assert raised.flag == name
        assert flags.Flag.from_dict(raised.to_dict()) == raised
        assert silent is None
    assert "link from the one draw that is published" in cases["randomised_release"][0].why
    assert "secrets learned from 4 draws" in cases["randomised_release"][0].why
    assert "6.50" in cases["memorised_consistency"][0].why


def test_an_attacker_that_is_turned_round_in_some_folds_only_is_not_named():
    assert not flags.linked_turned_round(["cosine, turned round", "cosine"], Interval(0.9, 0.8, 1.0))
    assert not flags.linked_turned_round([], Interval(0.9, 0.8, 1.0))


def test_an_interval_that_is_not_known_is_not_above_chance():
    assert flags.raw_not_above_chance(Interval(1.0, float("nan"), float("nan")), chance=0.5)


def test_how_far_features_moved_is_a_share_of_their_spread():
    raw = np.array([[1.0, 0.0], [-1.0, 0.0]])
    assert flags.moved_share(raw, raw) == 0
    moved = np.array([0.0, 2.0])
    assert flags.moved_share(raw, raw + moved) == pytest.approx(2)
    assert flags.moved_share(10 * raw + 3, 10 * raw + 3 + moved) == pytest.approx(0.2)


def test_an_adapter_that_moves_nothing_has_memorised_nothing():
    assert flags.memorised_consistency(0.0, 0.0) is None


def test_scaling_is_told_from_other_changes():
    random = np.random.default_rng(0)
    raw = random.normal(size=(200, 8))
    assert flags.unexplained_by_scaling(raw, raw * np.arange(1, 9) - 3) == pytest.approx(0, abs=1e-12)
    assert flags.unexplained_by_scaling(raw, np.ones_like(raw)) == 0
    assert flags.unexplained_by_scaling(raw, raw[:, ::-1]) > 0.9
    assert flags.unexplained_by_scaling(raw, raw[:, :4]) == 1


def test_a_planted_secret_is_found_in_features_and_missed_where_an_attack_is_blind(monkeypatch):
    random = np.random.default_rng(1)
    person = np.repeat([f"p{index}" for index in range(60)], 4)
    feature = random.normal(size=(len(person), 32)) + np.repeat(random.normal(size=(60, 32)), 4, axis=0)
    assert flags.finds_planted(feature, person) > 0.9
    assert flags.finds_planted(feature * 1e4 + 7, person) > 0.9
    assert flags.finds_planted(np.zeros_like(feature), person) > 0.9
    monkeypatch.setattr(flags, "PLANTED_SIZE", 0.0)
    assert 0.3 < flags.finds_planted(feature, person) < 0.7
    with pytest.raises(InputError, match="four people"):
        flags.finds_planted(feature[:12], person[:12])
