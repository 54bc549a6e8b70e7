"""The orderings that the papers claim of the page's rows, and the rule that judges them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from latentveil.bench.pixels.hits import LINEAR
from latentveil.bench.scores import half_width
from latentveil.metrics.intervals import interval_over_groups, mean_of

ACTIONS = "actions"
MIN_SEEDS = 3
NOTHING = "–"


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


@dataclass(frozen=True)
class Reached:
    """A mean over seeds with its 95 % interval over seeds and people."""

    value: float
    low: float
    high: float


def answers(seeds: Seeds, column: str) -> tuple[np.ndarray, np.ndarray] | None:
    """The people (N,) of the test videos, and under each seed how often the answer was right (S, N), over questions."""
    if not seeds or any(column not in entry["hits"] for entry in seeds.values()):
        return None
    found = [entry["hits"][column] for entry in seeds.values()]
    right = [
        np.mean([[int(digit) for digit in text] for text in one["right"].values()], axis=0) for one in found
    ]
    return np.array(found[0]["people"]), np.stack(right)


def reached(values: np.ndarray, people: np.ndarray) -> Reached:
    """The mean of ``values`` (S, N) of S seeds and N videos of ``people`` (N,), or of differences of two rows.

    Half of the interval is the root of the sum of two squares: of the interval of the mean over seeds (Student's t;
    nothing for one seed), and of the interval over the people of one seed (mean square over seeds).
    """
    over_people = [interval_over_groups(mean_of(one), people, seed=0) for one in values]
    widths = [(interval.high - interval.low) / 2 for interval in over_people]
    reach = np.hypot(half_width(values.mean(axis=1).tolist()), np.sqrt(np.mean(np.square(widths))))
    mean = float(values.mean())
    return Reached(mean, mean - float(reach), mean + float(reach))


def judge(claim: Claim, entries: Mapping[str, Seeds]) -> tuple[str, str, str]:
    """The difference with its interval, the verdict, and which trainings were not at rest.

    Seeds that both rows have count.
    """
    rows = (claim.higher, claim.lower)
    if any(row not in entries for row in rows):
        return NOTHING, "not measured", NOTHING
    both = sorted(set(entries[claim.higher]) & set(entries[claim.lower]))
    column = ACTIONS if claim.what == "action" else LINEAR
    sides = [answers({seed: entries[row][seed] for seed in both}, column) for row in rows]
    if sides[0] is None or sides[1] is None:
        return NOTHING, "not measured", NOTHING
    found = reached(sides[0][1] - sides[1][1], sides[0][0])
    words = f"{found.value:+.2f} ({found.low:+.2f} to {found.high:+.2f})"
    moving = [f"`{row}`" for row in rows if not at_rest({seed: entries[row][seed] for seed in both})]
    return words, verdict(found.low, found.high, seeds=len(both)), ", ".join(moving) or "none"


def at_rest(seeds: Seeds) -> bool:
    """Whether the row's trainings had come to rest by their own losses, under every seed; where it has none, yes."""
    return all(entry.get("training", {}).get("converged", True) for entry in seeds.values())


def verdict(low: float, high: float, *, seeds: int) -> str:
    """What an interval of a difference says of a claim that it is positive."""
    if low <= 0 <= high:
        return "cannot be told"
    said = "holds" if low > 0 else "does not hold"
    return said if seeds >= MIN_SEEDS else f"{said} with {seeds} seed{'s' if seeds > 1 else ''}; a lead"
