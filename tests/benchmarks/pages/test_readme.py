"""The README's table: from what is kept, and nothing else is touched."""

import re

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
    marks = "<!-- {0} -->\nnumbers of before\n<!-- end of {0} -->\nbelow {0}\n"
    page.write_text("above\n" + "".join(map(marks.format, readme.BLOCKS)))
    readme.main(["--measured", str(measured), "--output", str(page)])
    text = page.read_text()
    assert text.startswith("above\n")
    assert text.endswith("<!-- end of published -->\nbelow published\n")
    assert "<!-- end of results -->\nbelow results\n" in text
    assert "numbers of before" not in text
    assert "| transport by person † | 0.60 (75% gone) | 0.60 (75% gone) | 0.60 (67% kept) |" in text
    assert "15 people named" in text


def test_the_front_door_tells_one_result_and_where_it_hides_less(measured):
    score = {"value": 0.8, "low": 0.8, "high": 0.8, "chance": 0.5, "people": 15}
    scores = dict.fromkeys(("named", "unseen actions"), score)
    add_entry({"set": "thetis", "row": readme.LATER, "seed": 0, "videos": 40, "scores": scores}, measured)
    told = readme.short_result(readme.read_entries("thetis", measured)).replace("\n", " ")
    assert "on 40 videos of tennis players, 15 of whom are to be named" in told
    assert "the right person for 90% of the videos. Behind `transport by person`, an attacker" in told
    assert "names 60% right; guessing reaches 50%." in told
    assert "recognised 67% as often as from raw features; guessing alone would be right 56% as often" in told
    assert "hidden less: behind `transport by person`, 80% are named right" in told


def test_a_row_that_one_set_lacks_is_left_out(measured):
    entries = {name: readme.read_entries(name, measured) for name in ("thetis", "wlasl100")}
    assert "only noise" not in readme.results_table(entries)


def test_nothing_is_written_without_results(tmp_path):
    with pytest.raises(InputError, match="must hold raw features of thetis, wlasl100"):
        readme.main(["--measured", str(tmp_path), "--output", str(tmp_path / "README.md")])


def test_a_page_without_its_marks_is_refused():
    with pytest.raises(InputError, match="must have the marks"):
        readme.put("no marks", readme.RESULTS, "table")


def test_the_published_objective_is_told_with_its_control_and_its_verdict():
    cells = {readme.SOURCE: readme.read_cells(readme.CELLS, readme.SOURCE), readme.FACES: []}
    lines = readme.published_table(cells).splitlines()
    assert all(line.count("|") == 8 for line in lines[:-2])
    assert lines[-1] == "In brackets: 95 % over people."
    published, moved = (
        next(line for line in lines if arm in line) for arm in ("published objective", "random")
    )
    assert re.match(r"\| stills of signers \| [\d,]+ people of peta \| published objective \| ", published)
    assert published.rstrip(" |").endswith(("nothing to say", "confirmed", "refuted", "undecided"))
    assert moved.rstrip(" |").endswith("–")
