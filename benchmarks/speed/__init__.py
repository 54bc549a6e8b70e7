"""docs/benchmarks.md: how fast each part is, as ratios taken in one run."""
