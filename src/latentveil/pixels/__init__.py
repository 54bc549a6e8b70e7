"""The pixel-level systems: the video itself is rewritten, by a trained network or by rules that need no training."""
