"""Pixel-level systems beside the latent one, on videos of `veil actors`."""
