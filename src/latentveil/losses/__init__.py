"""Training objectives as pure functions, one file each."""
