"""The networks of the pixel-level systems, each with its width as an option: f_A, f_T and f_B."""
