"""A small recipe of the bench, for trying it on small data."""

from __future__ import annotations

from collections.abc import Sequence


def small_recipe(*, secret: str, attacks: Sequence[str] = ("lda",), num_seen: int, components: int) -> str:
    """The text of a recipe with two rows, raw features and two principal components, attacked on clips alone."""
    named = ", ".join(f'"{attack}"' for attack in attacks)
    return f"""
title = "Small"
secrets = ["{secret}"]
kinds = ["temporal"]
attacks = [{named}]
curve_attacks = ["lda"]
num_seen = {num_seen}
components = {components}

[[rows]]
name = "raw"
changes = ["method=identity"]

[[rows]]
name = "pca 2"
changes = ["method=pca", "erasure.keep=2"]
curve = "pca"
"""
