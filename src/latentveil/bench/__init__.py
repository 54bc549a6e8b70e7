"""Recipes that reproduce tables."""
