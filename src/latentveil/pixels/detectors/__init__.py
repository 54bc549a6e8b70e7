"""Detectors: where people or faces are in a frame."""
