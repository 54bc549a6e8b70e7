"""The page of transport: attacks turned round, and shares counted from guessing."""

import numpy as np

from benchmarks.pages.transport.grading import turned_round
from benchmarks.pages.transport.page import render_page, share_gone


def test_turned_round_the_least_likely_becomes_the_most_likely():
    answers = np.array([[0.7, 0.2, 0.1], [0.1, 0.1, 0.8]])
    turned = turned_round(answers)
    np.testing.assert_allclose(turned.sum(axis=1), 1)
    assert turned[0].argmax() == 2
    assert turned[1].argmin() == 2


def test_the_share_that_is_gone_counts_from_guessing():
    assert share_gone([0.1], [1.0], [0.1]) == "100% gone"
    assert share_gone([0.55], [1.0], [0.1]) == "50% gone"


def test_a_row_stands_on_the_page_with_all_its_numbers():
    secret = {"chance": 0.1, "best": 0.2, "attack": "lda", "raw": 1.0, "straight": 0.15}
    entry = {
        "set": "lsa64",
        "videos": 320,
        "row": "raw",
        "seed": 0,
        "secrets": {"identity, temporal": secret},
        "risks": {"named": 0.9, "named_chance": 0.1, "auc": 0.8, "pooled_auc": 0.9, "people": 10},
        "unseen": {"raw": {"value": 0.8}, "anonymized": {"value": 0.4}},
    }
    page = render_page([entry])
    assert "0.200, straight 0.15 (89% gone)" in page
    assert "0.400 (50.0% kept)" in page
