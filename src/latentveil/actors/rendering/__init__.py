"""From descriptions to pixels: cameras, places, figures, shadows."""
