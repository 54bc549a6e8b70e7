"""The sentences on controls follow from the numbers."""

from benchmarks.published.controls import explain
from benchmarks.published.grade import ATTACK, PLAIN, PUBLIC, STANDARDISED


def shares(public, plain=0.0, standardised=0.0, attack=0.0):
    return {PUBLIC: public, PLAIN: plain, STANDARDISED: standardised, ATTACK: attack}


def test_the_reason_is_read_from_the_graders():
    assert "unit logits" in explain({"released": shares(0.5, plain=0.01)})[0]
    assert "scale and offset" in explain({"released": shares(0.5, plain=0.4)})[0]
    assert "neither" in explain({"released": shares(0.5, plain=0.4, standardised=0.3)})[0]
    assert "nothing needs a reason" in explain({"released": shares(0.1)})[0]


def test_a_control_with_the_same_effect_takes_the_credit_from_the_budget():
    same, other = (explain({"released": shares(0.4), "budget off": shares(gone)})[1] for gone in (0.3, 0.1))
    assert "were not what does it" in same
    assert "it were the budget" in other


def test_random_moves_that_stop_attackers_show_that_the_length_is_not_the_point():
    told = explain({"released": shares(0.4), "random": shares(0.9, attack=0.9)})[1]
    assert "every still goes its own way" in told


def test_where_released_does_nothing_a_control_explains_nothing():
    arms = {"released": shares(-0.03), "cross": shares(-0.03), "time": shares(0.5)}
    _, time, cross = explain(arms)
    assert cross.endswith("no effect either.")
    assert time.endswith("an effect that released does not have.")
