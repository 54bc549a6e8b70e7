"""Results as pages, cards and plots."""
