"""Engines for more than one machine, one file each."""
