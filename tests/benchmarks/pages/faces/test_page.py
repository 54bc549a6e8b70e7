"""The page's numbers, worked by hand from two seeds."""

import pytest

from benchmarks.pages.faces.page import render_faces
from latentveil.bench.recipe import Recipe, Row

RECIPE = Recipe(
    title="By hand",
    components=16,
    floor="nothing",
    rows=(
        Row(name="raw", changes=("method=identity",)),
        Row(name="nothing", changes=("method=noise",)),
        Row(name="mine"),
        Row(name="point", changes=("erasure.noise=3",), full=False),
    ),
)
SPACES = {
    "remarks": ["3 pictures are missing."],
    "variance_kept": 0.685,
    "cmap": {"all": {"linear": 0.6, "lda": 0.61}, "some": {"linear": 0.58, "lda": 0.59}},
}


def around(value):
    return {"value": value, "low": value - 0.1, "high": value + 0.1}


def entry(row, *, seed, linear, worst):
    """Raw faces are read at 0.7 where guessing gives 0.2."""
    found = {
        "kind": "static",
        "chance": 0.2,
        "num_videos": 604,
        "attacks": {"linear": {"anonymized": around(linear)}, "mlp": {"anonymized": around(worst)}},
        "worst": {"anonymized": around(worst)},
    }
    means = {
        name: {
            "chance": 0.2,
            "raw": around(0.7),
            "anonymized": around(value),
            "leakage_removed": around(1 - (value - 0.2) / 0.5),
        }
        for name, value in (("linear", linear), ("worst", worst))
    }
    return {
        "row": row.key,
        "name": row.name,
        "seed": seed,
        "readings": [{"secret": secret, **found} for secret in ("gender", "child")],
        "mean": means,
    }


@pytest.fixture
def page():
    raw, nothing, mine, _ = RECIPE.rows
    entries = [entry(raw, seed=seed, linear=0.7, worst=0.7) for seed in (0, 1)]
    entries += [entry(nothing, seed=seed, linear=0.2, worst=0.3) for seed in (0, 1)]
    entries += [entry(mine, seed=0, linear=0.3, worst=0.4), entry(mine, seed=1, linear=0.4, worst=0.6)]
    return render_faces(RECIPE, entries, SPACES)


def test_means_shares_spread_and_the_share_above_the_floor(page):
    # Linear (0.3 + 0.4) / 2, gone (80 % + 60 %) / 2; worst 0.5, gone 40 %; (0.7 - 0.5) / (0.7 - 0.3) from the floor.
    assert (
        "| mine | 0.350 [0.250, 0.450] | 70% [60%, 80%] | 0.500 [0.400, 0.600] | 40% [30%, 50%] | 0.141 | 50% |"
        in page
    )
    assert "gone, from `nothing` |" in page
    assert "guessing 0.200" in page


def test_every_secret_under_both_attacks(page):
    assert page.count("| guessing | 0.200 | 0.200 |") == 2
    assert "| mine | 0.500 [0.400, 0.600] | 0.500 [0.400, 0.600] |" in page
    assert "| mine | 0.350 [0.250, 0.450] | 0.350 [0.250, 0.450] |" in page
    assert "| point |" not in page


def test_the_page_says_in_which_space_and_under_which_attacks(page):
    assert "16 principal components of the signers' training videos" in page
    assert "Attacks: linear, mlp." in page
    assert "graded on 604 others" in page
    assert "hold 68% of the faces' variance" in page
    assert page.endswith("| some | 0.580 | 0.590 |\n")
    assert "the set's own codes. 3 pictures are missing.\n" in page


def test_without_a_floor_and_without_leakage_there_is_no_share():
    mine = RECIPE.rows[2]
    found = entry(mine, seed=0, linear=0.2, worst=0.2)
    found["mean"]["worst"]["leakage_removed"] = None
    page = render_faces(RECIPE, [found], SPACES)
    assert "| mine | 0.200 [0.100, 0.300] | 100% [90%, 110%] | 0.200 [0.100, 0.300] | – | 0.000 |\n" in page
    assert "Nothing was measured" in render_faces(RECIPE, [], SPACES)


def test_pictures_that_change_each_other_are_pointed_out():
    released = Row(name="theirs", preset="released")
    recipe = Recipe(title="By hand", rows=(RECIPE.rows[0], released))
    entries = [entry(row, seed=0, linear=0.7, worst=0.7) for row in recipe.rows]
    assert "`theirs`: attention runs over the batch" in render_faces(recipe, entries, SPACES)
    assert "over the batch" not in render_faces(RECIPE, entries[:1], SPACES)
