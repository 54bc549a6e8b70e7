"""Splits, metrics, intervals and the audit."""
