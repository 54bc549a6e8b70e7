"""Of two records, the fields that differ are told, and no others."""

from latentveil.files.differences import MOST_TOLD, differences


def test_equal_records_differ_in_nothing():
    assert differences({"a": 1, "b": {"c": 2}}, {"b": {"c": 2}, "a": 1}) == ""


def test_each_field_is_told_with_both_values():
    told = differences(
        {"size": 32, "made": {"by": "blur", "strength": 1}}, {"size": 48, "made": {"by": "blur"}}
    )
    assert told == "made.strength is 1 there, got None; size is 32 there, got 48"


def test_of_very_many_the_first_are_told():
    told = differences({}, {f"video{number:02}": number for number in range(MOST_TOLD + 3)})
    assert told.count("there, got") == MOST_TOLD
    assert told.endswith("; and 3 more")
