"""Pixel-level systems: the video itself is rewritten, by a trained network or by rules that need no training.

A file that assigns ``pixel_method`` is the method of its name (`base.py`), one that assigns ``pixel_network`` what it
makes (`network.py`); `anonymizer.py` is the object that is saved. `fit.py` and `apply.py` are what the verbs call.
`learning/` trains, `networks/` are its networks, `detectors/` find what `cover.py` covers.
"""
