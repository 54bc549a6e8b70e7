"""Data sets: the labels file, the embedded `actors`, and readers for public ones."""
