"""A notice is told of the line that a user wrote, however deep in latentveil it comes from."""

import warnings

import latentveil as lv
from latentveil.errors import Notice


def test_a_notice_names_the_line_of_the_caller(toy_folder, tmp_path):
    verbs = {
        "Good for action": lambda: lv.fit(
            toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", method="veil", progress=False
        ),
        "holds this very export": lambda: lv.export_features(toy_folder / "raw", npy=tmp_path / "out"),
    }
    lv.export_features(toy_folder / "raw", npy=tmp_path / "out")
    for words, verb in verbs.items():
        with warnings.catch_warnings(record=True) as told:
            warnings.simplefilter("always")
            verb()
        found = [one for one in told if issubclass(one.category, Notice) and words in str(one.message)]
        assert [one.filename for one in found] == [__file__], words
