"""The three risks of data protection, measured: linkability, singling out, inference."""
