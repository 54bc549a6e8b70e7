"""The same values have the same name, and others another."""

import numpy as np

from latentveil.checksums import checksum, short_checksum


def test_a_checksum_tells_values_types_shapes_and_places_apart():
    array = np.arange(6.0)
    odd = [1, "1", 1.0, True, None, [1], (1,), [[1]], {"a": 1}, array, array.reshape(2, 3), array[::-1],
           array.astype("f4"), ["ab"], ["a", "b"], np.array(["a", "b"]), np.array(["a", "b"], object)]  # fmt: skip
    sums = [checksum(value) for value in odd]
    assert sums == [checksum(value) for value in odd]
    # The last two but one hold the same list of words.
    assert len(set(sums)) == len(odd) - 1


def test_people_compare_a_short_form():
    assert short_checksum([1]) == f"checksum {checksum([1])[:12]}"
    assert short_checksum(None) is None
