"""Measures of what was found: accuracy, average precision, mAP, AUC, hypervolume, and their intervals."""
