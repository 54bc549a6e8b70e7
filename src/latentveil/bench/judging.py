"""The rule that says from our numbers whether a claim holds here, and its verdicts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from latentveil.bench.claims import Claim, Comparison
from latentveil.bench.scores import Entries, Score, half_width, mean_score
from latentveil.metrics.intervals import reach_over_people

HOLDS, FAILS, UNKNOWN = "holds here", "does not hold here", "cannot be told here"
MIN_SEEDS = 3
CEILING = 0.98
HEADLINE_PEOPLE = 10  # of fewer, a single one may make the number

RULE = f"""\
A comparison is the mean over seeds of the difference between two rows under the same seed, with an interval of 95 %.

- The claim *holds here* where the whole interval lies on the claimed side of the margin, and *does not hold here* where
  the whole interval lies on the other side.
- It *cannot be told here* where the interval holds the margin, where there are fewer than {MIN_SEEDS} seeds, or where
  raw features leave nothing to see: their score is not above guessing by more than its interval over people, or it is
  at the ceiling, above {CEILING:.2f}. A ceiling hides differences and makes none, so a verdict that rests on one that
  was seen stands.
- The interval is over seeds and over people, the root of the sum of both squares. Over seeds it is Student's t. Over
  people it comes from the same random halves of the people for both rows, averaged over seeds as a mean square, since
  seeds share people and do not make them more. A measure that keeps no halves takes the intervals of both rows as if
  they were of different people, which is wider.
- A seed under which the training of either row had not come to rest, by its own losses, is left out.
- A claim of several comparisons holds where all of them do, and does not hold where one of them does not.
- Privacy is judged by the best attack unless the column names a grader. How many people stand behind a number is on its
  page."""


@dataclass(frozen=True)
class Difference:
    """How far two rows are apart: their means over ``seeds`` that count, and half of the interval of the difference.

    ``restless`` seeds were left out, since a training had not come to rest.
    """

    first: float
    second: float
    seeds: int
    restless: int
    over_seeds: float = float("nan")
    over_people: float = float("nan")

    @property
    def mean(self) -> float:
        return self.first - self.second

    @property
    def reach(self) -> float:
        return float(np.hypot(self.over_seeds, self.over_people))


@dataclass(frozen=True)
class Judged:
    """The verdict on one comparison, with its numbers; ``open_because`` says why nothing could be judged."""

    comparison: Comparison
    verdict: str
    difference: Difference | None = None
    open_because: str = ""

    def in_full(self) -> str:
        """What was compared, and all numbers."""
        told = [self.open_because] if self.open_because else []
        found = self.difference
        if found is not None:
            told = [f"{found.first:.3f} against {found.second:.3f}", f"{_seeds(found)}", *told]
            if not self.open_because:
                parts = f"seeds {found.over_seeds:.3f}, people {found.over_people:.3f}"
                told.append(f"difference {found.mean:+.3f} ± {found.reach:.3f} ({parts})")
        return f"{self.comparison.in_words()}: {', '.join(told)}"

    def in_short(self) -> str:
        """The two scores and their difference, or why there is nothing to tell."""
        found, compared = self.difference, self.comparison
        if found is None:
            return f"{compared.column}: {self.open_because}"
        scores = (
            f"{compared.column}: `{compared.row}` {found.first:.3f}, `{compared.than}` {found.second:.3f}"
        )
        if self.open_because:
            return f"{scores}; {self.open_because}"
        return f"{scores} ({found.mean:+.3f} ± {found.reach:.3f}, {_seeds(found)})"


@dataclass(frozen=True)
class Verdict:
    """Whether a claim holds, from the verdicts on its comparisons; ``not_run`` says what would have to be run."""

    verdict: str
    parts: tuple[Judged, ...] = ()
    not_run: str = ""

    def in_full(self) -> str:
        return self.not_run or "; ".join(part.in_full() for part in self.parts)

    def in_short(self) -> str:
        return self.not_run or "; ".join(part.in_short() for part in self.parts)


def judge(claim: Claim, entries: Entries, *, raw: str | Callable[[str], str]) -> Verdict:
    """The verdict on a claim; ``raw`` names the row of features as they are, or finds that of a row's own store."""
    of = raw if callable(raw) else lambda _: raw
    parts = tuple(judge_comparison(one, entries, raw=of(one.row)) for one in claim.comparisons)
    names = [part.verdict for part in parts]
    return Verdict(FAILS if FAILS in names else UNKNOWN if UNKNOWN in names else HOLDS, parts)


def judge_comparison(comparison: Comparison, entries: Entries, *, raw: str) -> Judged:
    """The verdict on one comparison."""
    first, second = (entries.scores(name, comparison.column) for name in (comparison.row, comparison.than))
    measured = first.keys() & second.keys()
    if not measured:
        return Judged(comparison, UNKNOWN, open_because="not measured")
    of_raw = list(entries.scores(raw, comparison.column).values())
    if blind := why_below(of_raw):
        return Judged(comparison, UNKNOWN, open_because=blind)
    restless = measured & (entries.restless(comparison.row) | entries.restless(comparison.than))
    seeds = sorted(measured - restless)
    if not seeds:
        return Judged(comparison, UNKNOWN, open_because=f"no training of {len(restless)} came to rest")
    found = _difference(first, second, seeds, restless=len(restless))
    if len(seeds) < MIN_SEEDS:
        return Judged(comparison, UNKNOWN, found, "too few seeds")
    if not np.isfinite(found.over_people):
        return Judged(comparison, UNKNOWN, found, "no interval over people")
    margin = _margin(comparison, [second[seed] for seed in seeds])
    if margin is None:
        return Judged(comparison, UNKNOWN, found, "guessing is not known")
    verdict = _side(comparison.is_, found, margin=margin, better=first[seeds[0]].better)
    ceiling = why_above(of_raw)
    if ceiling and not _rests_on_a_difference(comparison, verdict):
        return Judged(comparison, UNKNOWN, open_because=ceiling)
    return Judged(comparison, verdict, found)


def why_blind(raw: Sequence[Score]) -> str:
    """Why a column is no headline, from where raw features stand; empty where it can be one."""
    return why_above(raw) or why_below(raw) or _why_few(raw)


def _why_few(raw: Sequence[Score]) -> str:
    """That too few people stand behind raw features, or else empty; where a claim is judged, their spread says so."""
    people = mean_score(raw).people if raw else None
    return f"only {people} people stand behind it" if people and people < HEADLINE_PEOPLE else ""


def why_above(raw: Sequence[Score]) -> str:
    """That raw features are at the ceiling, where much may be lost before it shows; else empty."""
    score = mean_score(raw) if raw else None
    if score is None or score.chance is None or not CEILING < score.value <= 1:
        return ""  # decibels and seconds have no ceiling
    return f"raw features are at the ceiling ({score.value:.3f})"


def why_below(raw: Sequence[Score]) -> str:
    """That raw features are not above guessing, or that one person stands behind them; else empty."""
    if not raw or raw[0].chance is None:
        return ""
    score, chance = mean_score(raw), raw[0].chance
    if score.people == 1:
        return "one person stands behind it"
    chance = score.chance if score.chance is not None else chance
    if score.value <= chance or (score.low is not None and score.low <= chance):
        return f"raw features are not above guessing ({score.value:.3f}, guessing {chance:.3f})"
    return ""


def reach_of_people(first: Mapping[int, Score], second: Mapping[int, Score], seeds: Sequence[int]) -> float:
    """Half of the 95 % interval over people of the difference of two rows; NaN where a seed does not know it."""
    return float(np.sqrt(np.mean([_reach_of_pair(first[seed], second[seed]) ** 2 for seed in seeds])))


def _reach_of_pair(first: Score, second: Score) -> float:
    """The same under one seed: from the same halves of people, or as if each row had people of its own."""
    if first.halves and len(first.halves) == len(second.halves) and first.groups == second.groups:
        ours, theirs = (np.array(score.halves, dtype=np.float64) for score in (first, second))
        return reach_over_people(ours - theirs, first.groups or 0)
    return float(np.hypot(_own_reach(first), _own_reach(second)))


def _own_reach(score: Score) -> float:
    """Half of a score's own interval over people."""
    return float("nan") if score.low is None or score.high is None else (score.high - score.low) / 2


def _difference(
    first: Mapping[int, Score], second: Mapping[int, Score], seeds: Sequence[int], *, restless: int
) -> Difference:
    values, levels = (np.array([side[seed].value for seed in seeds]) for side in (first, second))
    return Difference(
        float(values.mean()),
        float(levels.mean()),
        len(seeds),
        restless,
        over_seeds=half_width((values - levels).tolist()),
        over_people=reach_of_people(first, second, seeds),
    )


def _margin(comparison: Comparison, levels: Sequence[Score]) -> float | None:
    """The margin as a difference of scores; None where it is above a guessing that is not known."""
    mean = float(np.mean([score.value for score in levels]))
    if comparison.above_guessing:
        guessing = [score.chance for score in levels if score.chance is not None]
        if len(guessing) < len(levels):
            return None
        return comparison.margin * (mean - float(np.mean(guessing)))
    return comparison.margin * mean if comparison.relative else comparison.margin


def _side(kind: str, found: Difference, *, margin: float, better: str) -> str:
    """On which side of the margin the whole interval of the difference lies."""
    wanted = "higher" if kind == "higher" or (kind == "within" and better == "high") else "lower"
    gain = found.mean if wanted == "higher" else -found.mean
    gain += margin if kind == "within" else -margin  # how far it is past the margin
    if gain - found.reach > 0 or (kind == "within" and gain - found.reach >= 0):
        return HOLDS
    # A tie under every seed and in every half of the people says nothing.
    return FAILS if gain + found.reach < 0 else UNKNOWN


def _rests_on_a_difference(comparison: Comparison, verdict: str) -> bool:
    """Whether two rows were seen to differ, so that a ceiling can only have made the difference smaller."""
    if comparison.is_ == "within":
        return verdict == FAILS
    return verdict == HOLDS or (verdict == FAILS and not comparison.margin)


def _seeds(found: Difference) -> str:
    """How many seeds count, and how many were left out."""
    counted = f"{found.seeds} seed{'s' if found.seeds != 1 else ''}"
    return f"{counted}, {found.restless} not at rest left out" if found.restless else counted
