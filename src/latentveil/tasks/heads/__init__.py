"""The heads that can be chosen by name for each task, one file each."""
