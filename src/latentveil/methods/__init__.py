"""Ways to make an anonymizer of features; none of them may import attacks.

A file that assigns ``method`` is the method of its name. `fit.py` has the verb, `plan.py` the presets, `material.py`
what a method may read, `base.py` what it must give. Closed forms share `closed_form.py`, `scatter.py` and `looks.py`.
Training against an observer (`splavu.py`, `supervised.py`) is one loop, `adversarial.py`: `players.py` learn from a
`feed.py`, `health.py` stops what collapses, `ranks.py` shares the work of several processes. `transport.py` treats a
release as a set; the files that begin like it are its parts.
"""
