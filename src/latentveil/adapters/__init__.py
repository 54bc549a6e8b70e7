"""The anonymizers that are trained: (B, T, D) to (B, T, D)."""
