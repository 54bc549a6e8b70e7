"""What is odd about labels is said: a name in two spellings is two people to every attack."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.auditing.omissions import flag_spellings
from latentveil.labels import Labels

LABELS = Labels(
    np.array(["a", "b", "c"]),
    np.array(["train", "val", "test"]),
    np.array(["Anna", "Ben", "Anna"]),
    columns={"secret_hat": np.array(["yes", "", "no"]), "action": np.array(["run", "sit", "run"])},
)


def test_labels_in_one_spelling_have_no_flag():
    assert flag_spellings(LABELS) == []
    assert flag_spellings(replace(LABELS, person=None)) == []


@pytest.mark.parametrize("other", ["anna", "Anna ", " Anna", "ANNA"])
def test_a_person_in_two_spellings_is_told(other):
    [flag] = flag_spellings(replace(LABELS, person=np.array(["Anna", "Ben", other])))
    assert flag.flag == "several_spellings"
    assert flag.why.startswith("1 of the values of the column person are spelled in several ways")
    assert "anna" not in flag.why.lower()  # a report names nobody


def test_blanks_within_a_value_and_other_columns_count_too():
    table = {"secret_hat": np.array(["big  hat", "big hat", "no"]), "action": LABELS.column("action")}
    [flag] = flag_spellings(replace(LABELS, columns=table, recording=np.array(["r1", "r2", "r2"])))
    assert "the column secret_hat" in flag.why
