"""A text is one name, not a sequence of letters."""

from latentveil.names import as_names


def test_one_name_and_several_become_a_list():
    assert as_names("scene") == ["scene"]
    assert as_names(("scene", "gender")) == ["scene", "gender"]
    assert as_names(()) == []
