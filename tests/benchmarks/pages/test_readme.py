"""The README's table: from what is kept, and nothing else is touched."""

import pytest

from benchmarks.pages import readme
from benchmarks.pages.transport.measured import add_entry
from benchmarks.pages.transport.rows import RAW
from latentveil.errors import InputError

CONTROL, OURS = "people swapped within an action (control)", "transport by person"


@pytest.fixture
def measured(tmp_path):
    """Raw features, a floor and a method on both sets; noise on one alone."""
    for name in ("thetis", "wlasl100"):
        for row, found in ((RAW, 0.9), (CONTROL, 0.5), (OURS, 0.6), ("only noise", 0.5)):
            if row != "only noise" or name == "thetis":
                score = {
                    "value": found,
                    "low": found - 0.05,
                    "high": found + 0.05,
                    "chance": 0.5,
                    "people": 15,
                }
                scores = dict.fromkeys(("named", "linked", "gender, temporal", "unseen actions"), score)
                add_entry({"set": name, "row": row, "seed": 0, "videos": 40, "scores": scores}, tmp_path)
    return tmp_path


def test_the_table_takes_the_place_of_the_old_one(measured, tmp_path):
    page = tmp_path / "README.md"
    page.write_text(f"above\n{readme.BEGIN}\nold\n{readme.END}\nbelow\n")
    readme.main(["--measured", str(measured), "--output", str(page)])
    text = page.read_text()
    assert text.startswith("above\n")
    assert text.endswith(f"{readme.END}\nbelow\n")
    assert "old" not in text
    assert "| transport by person | 0.60 (75% gone) | 0.60 (75% gone) | 0.60 (67% kept) |" in text
    assert "15 people named" in text


def test_a_row_that_one_set_lacks_is_left_out(measured):
    entries = {name: readme.read_entries(name, measured) for name in ("thetis", "wlasl100")}
    assert "only noise" not in readme.results_table(entries)


def test_nothing_is_written_without_results(tmp_path):
    with pytest.raises(InputError, match="must hold raw features of thetis, wlasl100"):
        readme.main(["--measured", str(tmp_path), "--output", str(tmp_path / "README.md")])
