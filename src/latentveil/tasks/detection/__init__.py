"""Temporal action detection with TriDet: which action happens from when to when."""
