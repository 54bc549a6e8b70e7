"""The orderings that the papers claim of the page's rows, and the rule that judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from latentveil.bench.pixels.hits import LINEAR
from latentveil.metrics.intervals import bootstrap, mean_of

ACTIONS = "actions"
MIN_SEEDS = 3


@dataclass(frozen=True)
class Claim:
    """``higher`` has more of ``what`` than ``lower``, as a paper says in ``source``."""

    words: str
    what: Literal["action", "leakage"]
    higher: str
    lower: str
    source: str


def _claims(*told: tuple[str, Literal["action", "leakage"], str, str, str]) -> tuple[Claim, ...]:
    return tuple(Claim(*one) for one in told)


CLAIMS = _claims(
    ("downsampling 4x costs action", "action", "raw", "downsample 4x", "SPAct, Table 1"),
    ("downsampling 4x leaks less than raw video", "leakage", "raw", "downsample 4x", "SPAct, Table 1"),
    ("blackening costs action", "action", "raw", "black people", "SPAct, Table 1"),
    ("blackening leaks less than raw video", "leakage", "raw", "black people", "SPAct, Table 1"),
    ("a strong blur costs action", "action", "raw", "blur", "SPAct, Table 1, of people alone"),
    ("a strong blur leaks less than raw video", "leakage", "raw", "blur", "SPAct, Table 1, of people alone"),
    ("SPAct keeps more action than downsampling 4x", "action", "spact", "downsample 4x", "SPAct, Table 1"),
    ("SPAct keeps more action than blackening", "action", "spact", "black people", "SPAct, Table 1"),
    ("SPAct leaks less than raw video", "leakage", "raw", "spact", "SPAct, Table 1"),
    ("VITA leaks less than raw video", "leakage", "raw", "vita", "SPAct, Table 1"),
    ("a frozen f_B removes less", "leakage", "spact, f_B frozen", "spact", "SPAct, Table 3"),
    ("without f_B nothing is removed", "leakage", "spact, no f_B", "spact", "SPAct, Table 3"),
    ("f_B of clips costs action", "action", "spact", "spact, f_B of clips", "SPAct, Table 3"),
    ("the penalty keeps more action than SPAct", "action", "penalty", "spact", "penalty-driven, Table 1"),
    (
        "lambda 1 keeps more action than 0",
        "action",
        "penalty",
        "penalty, lambda 0",
        "penalty-driven, Table 3",
    ),
    ("a larger B keeps less action", "action", "penalty", "penalty, B 0.3", "penalty-driven, Table 1"),
    ("the latent method keeps more action than SPAct", "action", "latent", "spact", "SPLAVU, Table 1"),
    ("the latent method leaks less than raw features", "leakage", "raw", "latent", "SPLAVU, Table 1"),
)

Seeds = Mapping[int, Mapping[str, Any]]


def answers(seeds: Seeds, column: str) -> tuple[np.ndarray, np.ndarray] | None:
    """The people (N,) of the test videos, and how often the answer was right (N,), mean over seeds and questions."""
    if any(column not in entry["hits"] for entry in seeds.values()):
        return None
    found = [entry["hits"][column] for entry in seeds.values()]
    right = [[int(digit) for digit in text] for one in found for text in one["right"].values()]
    return np.array(found[0]["people"]), np.mean(right, axis=0)


def judge(claim: Claim, entries: Mapping[str, Seeds]) -> tuple[str, str]:
    """The difference with its interval over people, and the verdict; seeds that both rows have count."""
    if claim.higher not in entries or claim.lower not in entries:
        return "–", "not measured"
    both = sorted(set(entries[claim.higher]) & set(entries[claim.lower]))
    column = ACTIONS if claim.what == "action" else LINEAR
    sides = [answers({s: entries[row][s] for s in both}, column) for row in (claim.higher, claim.lower)]
    if not both or sides[0] is None or sides[1] is None:
        return "–", "not measured"
    interval = bootstrap(mean_of(sides[0][1] - sides[1][1]), sides[0][0], seed=0)
    words = f"{interval.value:+.2f} ({interval.low:+.2f} to {interval.high:+.2f})"
    return words, verdict(interval.low, interval.high, seeds=len(both))


def verdict(low: float, high: float, *, seeds: int) -> str:
    """What an interval of a difference says of a claim that it is positive."""
    if low <= 0 <= high:
        return "cannot be told"
    said = "holds" if low > 0 else "does not hold"
    return said if seeds >= MIN_SEEDS else f"{said} with {seeds} seed{'s' if seeds > 1 else ''}; a lead"
