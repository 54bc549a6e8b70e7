"""The risks of data protection, measured: linkability, singling out, inference.

`videos.py` has one feature per video. Linkability: `people.py` says who is learned from and who is tested, `pairs.py`
what is compared, `alignment.py` and `comparison.py` how, `tally.py` adds up. Singling out: `roles.py`,
`closed_set.py`.
"""
