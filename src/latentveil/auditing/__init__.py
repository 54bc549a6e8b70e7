"""What an attacker can still learn, and what the features are still good for.

`run.py` has the verb, `inputs.py` reads what it is given, `measure.py` runs every attack and every task, `result.py`
is what comes out. One secret: `splits.py` makes folds, `arena.py` hands an attacker what it may hold, `answers.py`
gathers what it says, `leakage.py` compares before with after, `floor.py` says what is reached with nothing to learn.
`risks/` are the three risks of data protection, for one of `recipients.py`. `certificate.py` holds for every
attacker, `trust.py` and `flags.py` say what not to trust, `verdict.py` passes or fails. `finished.py` lets a stopped
audit go on.
"""
