"""A small bench: three of the toy's six actions are seen, three rows, one attack."""

import pytest

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
