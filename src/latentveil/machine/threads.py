"""Threads by the size of the work: one for small work, all for large; and those that wait sleep instead of spinning."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext

# Whoever sets one of these has chosen how threads wait.
WAITING = ("OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME")
# Features with fewer numbers (N x D) are small work: each operation on them ends before a second thread has woken up.
SMALL_NUMBERS = 4_000_000


def calm_threads() -> None:
    """Ask OpenMP for threads that sleep while they wait, unless the user chose otherwise.

    They spin by default, which takes the cores from whoever has work: beside other programs that costs far more than
    it saves. OpenMP reads this once, so it must be said before torch is imported.
    """
    if not any(name in os.environ for name in WAITING):
        os.environ["OMP_WAIT_POLICY"] = "PASSIVE"


def threads_for(num_numbers: int) -> AbstractContextManager[None]:
    """One thread for work on features of few numbers, where more cost more than they give; else all of torch's."""
    return one_thread() if num_numbers < SMALL_NUMBERS else nullcontext()


@contextmanager
def one_thread() -> Iterator[None]:
    """Everything inside (torch, BLAS, scikit-learn) computes with one thread; afterwards all is as it was."""
    import torch
    from threadpoolctl import threadpool_limits  # scikit-learn brings it along

    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        with threadpool_limits(1):
            yield
    finally:
        torch.set_num_threads(before)
