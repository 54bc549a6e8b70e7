"""Seeds for the parts of a run, so that neither repeats the other's random numbers."""

from __future__ import annotations

import numpy as np


def derive_seed(*numbers: int) -> int:
    """The seed of one part: of an epoch, say, from the run's seed and the epoch's number."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
