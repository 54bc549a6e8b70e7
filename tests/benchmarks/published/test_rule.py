"""The verdict follows the rule that was written down before anything was measured."""

import pytest

from benchmarks.published.rule import RULE, verdict


@pytest.mark.parametrize(
    ("grader_gone", "attack_gone", "said"),
    [
        (0.21, 0.04, "confirmed"),
        (0.90, -0.10, "confirmed"),
        (0.21, 0.11, "refuted"),
        (0.00, 0.11, "refuted"),
        (0.04, 0.00, "nothing to say"),
        (-0.10, 0.04, "nothing to say"),
        (0.10, 0.00, "undecided"),
        (0.30, 0.07, "undecided"),
        (0.20, 0.00, "undecided"),
    ],
)
def test_the_verdict_is_what_the_rule_says(grader_gone, attack_gone, said):
    assert verdict(grader_gone=grader_gone, attack_gone=attack_gone) == said


def test_the_rule_that_is_printed_names_the_numbers_of_the_brief():
    assert all(number in RULE for number in ("20%", "5%", "10%"))
