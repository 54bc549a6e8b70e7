"""Recipes on the few actors of the fixture, quick enough for a test."""

from latentveil.bench.recipe import Recipe

RAW = {"name": "raw", "changes": ["method=identity"]}
# One attribute, which the best attack alone grades.
OPTIONS = {"action_set": "action", "picture_set": "images+action", "attributes": ["hat"], "graders": []}


def recipe_of(protocol, *rows, **options):
    """A recipe with one attack on stills."""
    return Recipe.model_validate(
        {
            "title": "Few actors",
            "protocol": protocol,
            "secrets": (),
            "kinds": ["static"],
            "attacks": ["lda"],
            "curve_attacks": ["lda"],
            "options": options,
            "rows": rows,
        }
    )
