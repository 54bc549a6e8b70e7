"""Table 13 is counted, not copied: our counts are near the paper's, and by hand where that is possible."""

import pytest

from latentveil.bench.run import gather, run_bench

OURS, THEIRS = "adapter, millions", "pixel level, millions"


@pytest.fixture(scope="module")
def done(tmp_path_factory):
    return run_bench("table13", data="none", output=tmp_path_factory.mktemp("runs"), seeds=3)


def test_nothing_is_trained_and_one_pass_is_enough(done):
    assert {entry["seed"] for entry in done.entries} == {0}
    assert not (done.folder / "adapters").exists()
    assert "Every number is computed" in done.table


def test_attention_alone_is_twelve_squares_of_the_width(done):
    found = gather(done.measured, done.entries)
    assert found.values("I3D, public code", OURS) == [pytest.approx(12 * (1024**2 + 1024) / 1e6)]


@pytest.mark.parametrize("column", [OURS, THEIRS])
def test_counts_are_within_five_percent_of_the_papers(done, column):
    found = gather(done.measured, done.entries)
    for row in done.measured.rows:
        if row.paper:
            assert found.values(row.name, column) == [pytest.approx(row.paper[column], rel=0.05)]


def test_pixel_systems_are_counted_from_their_own_networks(done):
    found = gather(done.measured, done.entries)
    assert found.values("I3D, SPAct", "pixel anonymizer, millions") == [pytest.approx(17.27, abs=0.01)]
    assert found.values("I3D, SPAct", THEIRS) == found.values("I3D", THEIRS)
    for name in ("penalty-driven", "TeD-SPAD", "VITA", "STPrivacy"):
        assert found.values(f"I3D, {name}", "pixel anonymizer, millions")[0] > 0.1
    assert "| I3D, VITA | – |" in done.table
