"""A small bench: three of the toy's six actions are seen, three rows, one attack."""

import pytest

from latentveil.bench.actors_data import ActorsData, prepare_actors
from latentveil.bench.recipe import Recipe, Row


@pytest.fixture(scope="session")
def recipe():
    return Recipe(
        title="Toy",
        secrets=("identity",),
        kinds=("temporal",),
        attacks=("lda",),
        curve_attacks=("lda",),
        num_seen=3,
        rows=(
            Row(name="raw", changes=("method=identity",)),
            Row(name="pca 2", changes=("method=pca", "erasure.keep=2"), curve="pca", full=False),
            Row(name="veil", curve="veil"),
        ),
    )


@pytest.fixture(scope="session")
def few_actors(tmp_path_factory):
    """A folder of rendered videos and pictures, encoded by the tiny encoder."""
    wanted = ActorsData(videos={"action": 48, "images": 24}, encoder="tiny")
    return prepare_actors(tmp_path_factory.mktemp("few") / "actors", wanted, workers=1)
