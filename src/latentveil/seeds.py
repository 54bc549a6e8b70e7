"""Seeds for the parts of a run, so that neither repeats the other's random numbers."""

from __future__ import annotations

import numpy as np

from latentveil.errors import UsageError

# Every library that takes a seed takes these, and some more for the parts of a run.
LARGEST_SEED = (1 << 31) - 1


def require_seed(seed: int) -> None:
    """Refuse a seed that some library would not take, before any work."""
    if not isinstance(seed, int | np.integer) or not 0 <= seed <= LARGEST_SEED:
        raise UsageError(f"seed must be a whole number from 0 to {LARGEST_SEED}, got {seed}.")


def derive_seed(*numbers: int) -> int:
    """The seed of one part: of an epoch, say, from the run's seed and the epoch's number."""
    return int(np.random.SeedSequence(numbers).generate_state(1)[0])
