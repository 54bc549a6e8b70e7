"""Training a pixel anonymizer: clips, players, their losses, and the loop in which they take turns."""
