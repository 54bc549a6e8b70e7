"""How cost and memory grow with the data: the measurements behind docs/scale.md."""
