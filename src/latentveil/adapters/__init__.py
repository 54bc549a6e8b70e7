"""The anonymizers of features, (B, T, D) to (B, T, D), and what is done with one.

`adapter.py` is the object that is saved (`saved.py`), applied to features in memory (`anonymize.py`) and to stores
(`apply.py`, the verb), put behind an encoder (`protect.py`), exported (`export_onnx.py`) or made to forget
(`forget.py`). A file that assigns ``network`` is a network by its name: `attention.py`, `released.py`, `mlp.py`,
`affine.py`, `codebook.py`, `transport.py`; `network.py` says what such a file must give.
"""
