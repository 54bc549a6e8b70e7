"""Verdicts follow from numbers by the stated rule: both sides, in between, too few seeds, and nothing to be seen."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.bench import judging
from latentveil.bench.claims import Claim, Comparison
from latentveil.bench.judging import (
    FAILS,
    HOLDS,
    UNKNOWN,
    Difference,
    Verdict,
    judge,
    judge_comparison,
    why_blind,
)
from latentveil.bench.scores import Entries, Score

HALVES = np.tile(
    [-0.2, 0.2], 50
)  # how far each half of the people lies from all of them, the same for every row


def entries(better="low", chance=0.1, low=None, **rows):
    """Entries of one column "leak": the values of each row, seed by seed, on twenty people who differ much."""
    found = {
        (name, "leak"): {
            seed: Score(
                value,
                better,
                chance=chance,
                low=value - 0.05 if low is None else low,
                halves=tuple(value + HALVES),
                groups=20,
            )
            for seed, value in enumerate(values)
        }
        for name, values in rows.items()
    }
    return Entries(found, rows=tuple(rows), columns=("leak",), seeds=(0, 1, 2))


def compare(found, is_, **changes):
    comparison = Comparison.model_validate({"column": "leak", "row": "ours", "is": is_, **changes})
    return judge_comparison(comparison, found, raw="raw")


@pytest.mark.parametrize(
    ("ours", "verdict"),
    [((0.5, 0.51, 0.49), HOLDS), ((0.9, 0.91, 0.92), FAILS), ((0.5, 0.9, 0.8), UNKNOWN)],
)
def test_lower_needs_the_whole_interval_on_one_side(ours, verdict):
    assert compare(entries(raw=(0.8, 0.81, 0.8), ours=ours), "lower").verdict == verdict


def test_higher_is_the_mirror_of_lower():
    found = entries(raw=(0.5, 0.51, 0.5), ours=(0.8, 0.81, 0.79))
    assert compare(found, "higher").verdict == HOLDS
    assert compare(found, "lower").verdict == FAILS


def test_a_margin_must_be_passed_and_may_be_a_share():
    found = entries(raw=(0.8, 0.8, 0.8), ours=(0.7, 0.7, 0.7))
    assert compare(found, "lower", margin=0.05).verdict == HOLDS
    assert compare(found, "lower", margin=0.2, relative=True).verdict == FAILS  # 0.16 would be asked


def test_within_looks_at_the_direction_that_is_wanted():
    worse = entries(raw=(0.5, 0.5, 0.5), ours=(0.6, 0.6, 0.6))
    assert compare(worse, "within", margin=0.02).verdict == FAILS  # more leaks
    better = entries(better="high", raw=(0.5, 0.5, 0.5), ours=(0.6, 0.6, 0.6))
    assert compare(better, "within", margin=0.02).verdict == HOLDS  # more is recognised


def test_two_seeds_tell_nothing():
    found = compare(entries(raw=(0.8, 0.8), ours=(0.1, 0.1)), "lower")
    assert found.verdict == UNKNOWN
    assert found.in_full().endswith("0.100 against 0.800, 2 seeds, too few seeds")


def test_nothing_is_told_where_raw_features_guess():
    found = compare(entries(raw=(0.3, 0.3, 0.3), ours=(0.1, 0.1, 0.1), low=0.05), "lower")
    assert found.verdict == UNKNOWN
    assert "guessing" in found.in_full()


@pytest.mark.parametrize(
    ("ours", "is_", "margin", "verdict"),
    [
        (0.7, "lower", 0.0, HOLDS),  # a ceiling hides differences and makes none
        (0.7, "within", 0.05, FAILS),
        (0.7, "higher", 0.0, FAILS),
        (0.99, "within", 0.05, UNKNOWN),
        (0.99, "lower", 0.0, UNKNOWN),
        (0.97, "lower", 0.1, UNKNOWN),  # so small a difference may be all that shows of a large one
    ],
)
def test_at_the_ceiling_only_a_difference_that_is_seen_counts(ours, is_, margin, verdict):
    raw = (0.99, 0.99, 0.99)
    found = compare(entries(better="high", raw=raw, ours=(ours,) * 3), is_, margin=margin)
    assert found.verdict == verdict
    assert ("ceiling" in found.in_full()) == (verdict == UNKNOWN)


def test_people_who_differ_in_both_rows_alike_do_not_blur_the_difference():
    found = compare(entries(raw=(0.8, 0.8, 0.8), ours=(0.7, 0.7, 0.7)), "lower")
    assert found.verdict == HOLDS
    assert "± 0.000 (seeds 0.000, people 0.000)" in found.in_full()


def test_people_on_whom_the_difference_depends_leave_it_open():
    found = entries(raw=(0.8, 0.8, 0.8), ours=(0.7, 0.7, 0.7))
    ours = found.found["ours", "leak"]
    turned = {seed: replace(score, halves=tuple(score.value - HALVES)) for seed, score in ours.items()}
    found = replace(found, found={**found.found, ("ours", "leak"): turned})
    judged = compare(found, "lower")
    assert judged.verdict == UNKNOWN
    # Halves differ by 0.4 either way. t of 19 degrees is 2.093, and cut tails shrink a deviation to 0.9555 of it.
    assert f"people {2.093 * 0.4 / 0.9555:.3f}" in judged.in_full()


def test_without_halves_both_rows_count_as_if_of_other_people():
    found = entries(raw=(0.8, 0.8, 0.8), ours=(0.7, 0.7, 0.7))
    bare = {
        key: {
            seed: replace(one, halves=(), low=one.value - 0.03, high=one.value + 0.03)
            for seed, one in row.items()
        }
        for key, row in found.found.items()
    }
    assert (
        "people 0.042" in compare(replace(found, found=bare), "lower").in_full()
    )  # 0.03 times the root of two
    unknown = {key: {seed: replace(one, high=None) for seed, one in row.items()} for key, row in bare.items()}
    judged = compare(replace(found, found=unknown), "lower")
    assert judged.verdict == UNKNOWN
    assert judged.in_full().endswith("no interval over people")


def test_decibels_have_no_ceiling():
    found = compare(entries(raw=(20.0, 20.1, 20.0), ours=(15.0, 15.1, 15.0), chance=12.0), "lower")
    assert found.verdict == HOLDS


def test_a_seed_whose_training_did_not_come_to_rest_is_left_out():
    found = entries(raw=(0.8, 0.81, 0.8, 0.8), ours=(0.5, 0.95, 0.51, 0.49))
    assert compare(found, "lower").verdict == UNKNOWN
    found = replace(found, trainings={("ours", 0): {"converged": True}, ("ours", 1): {"converged": False}})
    judged = compare(found, "lower")
    assert judged.verdict == HOLDS
    assert "0.500 against 0.800, 3 seeds, 1 not at rest left out, difference -0.300 ± " in judged.in_full()


def test_trainings_that_did_not_come_to_rest_tell_nothing():
    found = entries(raw=(0.8, 0.81, 0.8), ours=(0.5, 0.51, 0.49))
    one = replace(found, trainings={("ours", 1): {"converged": False}})
    assert compare(one, "lower").verdict == UNKNOWN
    assert "2 seeds, 1 not at rest left out, too few seeds" in compare(one, "lower").in_full()
    none = replace(found, trainings={("ours", seed): {"converged": False} for seed in range(3)})
    assert compare(none, "lower").verdict == UNKNOWN
    assert compare(none, "lower").in_full().endswith("no training of 3 came to rest")


def test_a_claim_falls_with_one_of_its_comparisons():
    found = entries(raw=(0.8, 0.81, 0.8), ours=(0.5, 0.51, 0.49), theirs=(0.9, 0.91, 0.92))
    parts = [{"column": "leak", "row": row, "is": "lower"} for row in ("ours", "theirs")]
    claim = Claim.model_validate({"text": "Both hide.", "source": "here", "comparisons": parts})
    assert judge(claim, found, raw="raw").verdict == FAILS
    assert (
        judge(claim.model_copy(update={"comparisons": claim.comparisons[:1]}), found, raw="raw").verdict
        == HOLDS
    )


def test_a_row_that_was_not_measured_leaves_the_claim_open():
    assert compare(entries(raw=(0.8, 0.8, 0.8)), "lower").in_full().endswith("not measured")


def test_one_person_is_no_headline_nor_are_few():
    alone = Score(0.8, "low", chance=0.5, people=1)
    assert why_blind([alone]) == "one person stands behind it"
    assert why_blind([replace(alone, people=9)]) == "only 9 people stand behind it"
    assert not why_blind([replace(alone, people=10)])
    assert not why_blind([replace(alone, people=None)])


@pytest.mark.parametrize("kind", ["higher", "lower"])
def test_a_tie_without_any_spread_cannot_be_told(kind):
    tie = Difference(0.3, 0.3, seeds=3, restless=0, over_seeds=0.0, over_people=0.0)
    assert judging._side(kind, tie, margin=0.0, better="high") == UNKNOWN
    assert judging._side(kind, tie, margin=0.1, better="high") == FAILS


def test_a_share_may_be_of_what_is_above_guessing():
    found = entries(
        chance=0.5, raw=(0.7, 0.7, 0.7), ours=(0.6, 0.601, 0.599)
    )  # half of what is above guessing
    assert compare(found, "lower", margin=0.2, relative=True).verdict == FAILS
    assert compare(found, "lower", margin=0.2, above_guessing=True).verdict == HOLDS
    assert compare(found, "lower", margin=0.8, above_guessing=True).verdict == FAILS
    unknown = compare(
        entries(chance=None, raw=(0.7,) * 3, ours=(0.6,) * 3), "lower", margin=0.2, above_guessing=True
    )
    assert unknown.verdict == UNKNOWN
    assert "guessing is not known" in unknown.in_full()


def test_the_short_form_has_both_scores_and_their_difference():
    found = compare(entries(raw=(0.8, 0.8, 0.8), ours=(0.7, 0.7, 0.7)), "lower", margin=0.05)
    assert found.in_short() == "leak: `ours` 0.700, `raw` 0.800 (-0.100 ± 0.000, 3 seeds)"
    few = compare(entries(raw=(0.8,), ours=(0.7,)), "lower")
    assert few.in_short() == "leak: `ours` 0.700, `raw` 0.800; too few seeds"
    ceiling = compare(entries(raw=(1.0, 1.0, 1.0), ours=(1.0, 1.0, 1.0)), "lower")
    assert ceiling.in_short() == "leak: raw features are at the ceiling (1.000)"


def test_a_claim_that_was_not_run_says_what_it_needs():
    verdict = Verdict(UNKNOWN, not_run="it needs the data `actors`")
    assert verdict.in_short() == verdict.in_full() == "it needs the data `actors`"
