"""Training a pixel anonymizer: f_A against a privacy branch f_B, beside an action classifier f_T.

`minimax.py` is the loop, `steps.py` its two steps and what tells one system from another (``Game``), `terms.py` the
losses, `players.py` and `observers.py` who plays, `feed.py` what they see, `start.py` how they begin, `watch.py` when
to stop; `fit.py` is what the files of the methods share.
"""
