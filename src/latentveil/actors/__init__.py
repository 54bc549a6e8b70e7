"""The embedded data set: procedural videos of moving people with private attributes, the same for the same seed."""
