"""Contracts of the kinds of plug-ins, for authors to run on their own."""

from latentveil.testing.dataset import check_dataset

__all__ = ["check_dataset"]
