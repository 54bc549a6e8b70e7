"""What protocols measure of anonymized features: one sort of number per file."""
