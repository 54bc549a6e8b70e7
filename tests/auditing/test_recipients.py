"""Recipients hold more and more, and say so."""

import pytest

from latentveil.auditing.recipients import RECIPIENTS, STRONGEST, find_recipient
from latentveil.errors import InputError


def test_each_holds_all_that_the_one_before_holds_and_more():
    held = [(one.has_labels, one.has_adapter, one.has_raw) for one in RECIPIENTS]
    assert held == sorted(held)
    assert len(set(held)) == len(held)
    assert all(held[-1])
    assert find_recipient("raw") == STRONGEST


def test_words_go_into_the_audit():
    for one in RECIPIENTS:
        words = one.in_words().to_dict()
        assert set(words) == {"name", "holds", "allows"}
        assert all(words.values())


def test_an_unknown_recipient_is_refused():
    with pytest.raises(InputError, match="features, labels, adapter, raw, got 'everybody'"):
        find_recipient("everybody")
