"""What a fit of `transport` holds does not grow with the release."""

import pytest

from benchmarks.scale.stages import run_stage
from benchmarks.scale.synthetic import write_synthetic

FEW, MANY = 3_000, 30_000
DIM = 64  # little in a shard: what is left to grow is what the method keeps


@pytest.fixture(scope="module")
def stores(tmp_path_factory):
    """Two stores, the second ten times as large, without short videos (False) and with some (True)."""
    folder = tmp_path_factory.mktemp("stores")
    return {
        short: [
            write_synthetic(folder / f"{clips}-{short}", clips, dim=DIM, short=short) for clips in (FEW, MANY)
        ]
        for short in (False, True)
    }


@pytest.mark.parametrize(
    ("groups", "short"),
    [("person", False), ("stills", False), ("person, training videos", False), ("person", True)],
)
def test_ten_times_the_clips_take_little_more_memory(stores, groups, short):
    few, many = (run_stage(f"fit transport, by {groups}", store) for store in stores[short])
    # The vectors themselves (25,000 of 64 numbers) are 13 MB; results between scraps kept 700 MB alive.
    assert many["megabytes"] - few["megabytes"] < 300
