"""How often the intervals that we print hold the truth: samples of known worlds, drawn again and again.

`python -m benchmarks.coverage docs/coverage.md` writes the page. A world gives a statistic of a fresh sample of people
with several items each, which agree within a person; its truth is the statistic of a very large sample.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path

import numpy as np

from latentveil.auditing.risks.inference import balanced_mean
from latentveil.auditing.risks.tally import MAX_DIFFERENT
from latentveil.labels import Segment
from latentveil.metrics.classification import average_precision, prevalence, top1_accuracy
from latentveil.metrics.detection_map import Detections, match_detections, mean_average_precision
from latentveil.metrics.frame_metrics import FrameCounts, frame_roc_auc
from latentveil.metrics.intervals import ANYWHERE, SHARE, WeightedStatistic, interval_over_groups, mean_of
from latentveil.metrics.verification import PairScores

ITEMS = 6  # of each person
NUM_PEOPLE = (6, 10, 20, 50)
TRIALS = 400
TRUTH_PEOPLE, TRUTH_SAMPLES = 2000, 20
LOW, HIGH = 0.90, 0.98
FEW_ENOUGH = 100  # people of whom all pairs of videos are compared

KEPT = Path("measured") / "coverage" / "trials.json"  # beside the page

# {statistic: {number of people: the fields of a Coverage}}
Measured = dict[str, dict[str, dict[str, float]]]
# People to draw and random numbers -> a statistic of their items, and the person (N,) of each item.
World = Callable[[int, np.random.Generator], tuple[WeightedStatistic, np.ndarray]]


def mean_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """A mean of skewed values; half of their variance is between people."""
    people = _people(num_people)
    values = random.exponential(size=num_people)[people] + random.normal(size=len(people))
    return mean_of(values), people


def top1_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """Top-1 accuracy of about 0.8, where some people are easier to name than others."""
    people = _people(num_people)
    right = random.random(len(people)) < random.beta(4, 1, size=num_people)[people]
    probabilities = np.stack([~right, right], axis=1).astype(float)
    target = np.ones(len(people), dtype=int)
    return lambda weights: np.asarray(top1_accuracy(target, probabilities, weights)), people


def precision_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """Average precision of an attribute that belongs to a person, as gender does, of 40 % of them."""
    people, target, score = _attribute(num_people, random, shift=1.0)
    return lambda weights: np.asarray(average_precision(target, score, weights)), people


def auc_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """ROC AUC over frames: half of the videos show something for some of their clips."""
    people = _people(num_people)
    has_event = (np.arange(num_people) % 2 == 0)[people]
    anomalous = np.where(
        has_event & (random.random(len(people)) < 0.4), random.integers(4, 17, len(people)), 0
    )
    score = random.normal(size=num_people)[people] + random.normal(size=len(people)) + 2.0 * (anomalous > 0)
    counts = FrameCounts(anomalous=anomalous, normal=16 - anomalous)
    return lambda weights: np.asarray(frame_roc_auc(counts, score, weights)), people


def map_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """mAP of a detector on one video per group, four classes of which each video shows some."""
    truth: dict[str, list[Segment]] = {}
    rows: list[tuple[str, str, float, float, float]] = []
    for index in range(num_people):
        video, ease = f"v{index:05d}", random.normal()
        truth[video] = []
        for label in "abcd":
            if random.random() < 0.4:
                truth[video].append(Segment(10.0, 20.0, label))
                if random.random() < 1 / (1 + np.exp(-1 - ease)):
                    slip = random.exponential(1.5)
                    rows.append((video, label, ease + random.normal() + 1.5, 10.0 + slip, 20.0 + slip))
            for _ in range(random.poisson(1.0)):
                rows.append((video, label, ease + random.normal(), 40.0, 50.0))
    columns = [np.array(column) for column in zip(*rows)]
    matches = match_detections(Detections(*columns), truth, thresholds=(0.3, 0.5, 0.7))
    return lambda weights: mean_average_precision(matches, weights).mean(axis=1), np.arange(num_people)


def removed_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """The share of an attribute's leakage that is gone, between a strong and a weak reading of the same people."""
    people, target, raw = _attribute(num_people, random, shift=2.0)
    shown = 0.5 * raw + 0.8 * random.normal(size=num_people)[people] + 0.5 * random.normal(size=len(people))

    def removed(weights: np.ndarray) -> np.ndarray:
        chance = np.asarray(prevalence(target, weights))
        before = np.asarray(average_precision(target, raw, weights)) - chance
        after = np.asarray(average_precision(target, shown, weights)) - chance
        return np.where(before > 0, 1 - after / np.where(before > 0, before, 1.0), np.nan)

    return removed, people


def linking_world(num_people: int, random: np.random.Generator) -> tuple[PairScores, np.ndarray]:
    """Pairs of videos, two videos of each person, by how alike they look; of very many people some pairs only."""
    people = np.repeat(np.arange(num_people), 2)
    feature = random.normal(size=(num_people, 4))[people] + 0.8 * random.normal(size=(len(people), 4))
    first, second = (
        np.triu_indices(len(people), k=1) if num_people <= FEW_ENOUGH else _some_pairs(people, random)
    )
    score = -np.linalg.norm(feature[first] - feature[second], axis=1)
    return PairScores(score, people[first] == people[second], first, second), people


def _some_pairs(people: np.ndarray, random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Both videos of everybody, and as many pairs of two people as intervals are ever told from."""
    drawn = random.integers(len(people), size=(2, MAX_DIFFERENT))
    drawn = drawn[:, people[drawn[0]] != people[drawn[1]]]
    own = np.arange(0, len(people), 2)
    return np.concatenate([own, drawn[0]]), np.concatenate([own + 1, drawn[1]])


def linking_area_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """The area under the ROC of linked videos."""
    pairs, people = linking_world(num_people, random)
    return pairs.auc, people


def linking_found_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """The share of one person's pairs found where 5 % of the others are: of few people, 1 % are no pairs."""
    pairs, people = linking_world(num_people, random)
    return partial(pairs.true_accept_at, 0.05), people


def linking_error_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """The error of linking where as many pairs are accepted falsely as are rejected falsely."""
    pairs, people = linking_world(num_people, random)
    return pairs.equal_error_rate, people


def learned_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """How far an attack came from guessing to certainty, whose upper end a verdict is made by."""
    people, target, score = _attribute(num_people, random, shift=1.0)

    def learned(weights: np.ndarray) -> np.ndarray:
        chance = np.asarray(prevalence(target, weights))
        share = (np.asarray(average_precision(target, score, weights)) - chance) / np.maximum(
            1 - chance, 1e-9
        )
        return np.where(chance < 1, share, np.nan)

    return learned, people


def inference_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """How often an attribute of the average person is guessed rightly, both classes counted alike; a row a person."""
    has = np.arange(num_people) % 5 < 2
    right = random.binomial(ITEMS, random.beta(3, 2, size=num_people)) / ITEMS
    return partial(balanced_mean, right, has.astype(int)), np.arange(num_people)


def rare_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """The share of videos that are told, of people of whom a tenth is told in every video: of few, often nobody."""
    people = _people(num_people)
    return mean_of((random.random(num_people) < 0.1)[people].astype(float)), people


def almost_all_world(num_people: int, random: np.random.Generator) -> tuple[WeightedStatistic, np.ndarray]:
    """Top-1 accuracy where people are named in nineteen videos of twenty: of few, often in all."""
    people = _people(num_people)
    return mean_of((random.random(len(people)) < 0.95).astype(float)), people


WORLDS: dict[str, World] = {
    "mean": mean_world,
    "top-1 accuracy": top1_world,
    "average precision": precision_world,
    "AUC over frames": auc_world,
    "mAP": map_world,
    "share removed": removed_world,
    "area of linking": linking_area_world,
    "linking, found at 5 %": linking_found_world,
    "linking, equal error rate": linking_error_world,
    "way from guessing to certainty": learned_world,
    "inference, average person": inference_world,
    "a tenth of the people": rare_world,
    "almost all videos": almost_all_world,
}
SHARES = ("a tenth of the people", "almost all videos")  # whose intervals end at 0 and 1, as the audit's do


def _people(num_people: int) -> np.ndarray:
    return np.repeat(np.arange(num_people), ITEMS)


def _attribute(
    num_people: int, random: np.random.Generator, *, shift: float
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """People (N,), their attribute (N,), and a score (N,) that is ``shift`` higher for those who have it."""
    people = _people(num_people)
    has = np.arange(num_people) % 5 < 2
    score = (random.normal(size=num_people) + shift * has)[people] + 0.7 * random.normal(size=len(people))
    return people, has[people].astype(int), score


@dataclass(frozen=True)
class Coverage:
    """How often intervals held the truth, how wide they were, and how far off the statistic itself is."""

    truth: float
    bias: float
    covered: float
    too_high: float
    too_low: float
    width: float


def true_value(world: World, *, samples: int = TRUTH_SAMPLES) -> float:
    """The mean over very large samples of people."""
    values = []
    for sample in range(samples):
        statistic, people = world(TRUTH_PEOPLE, np.random.default_rng(2**31 + sample))
        values.append(float(statistic(np.ones((1, len(people))))[0]))
    return float(np.mean(values))


def coverage(
    world: World,
    num_people: int,
    *,
    truth: float,
    trials: int = TRIALS,
    num_resamples: int = 200,
    limits: tuple[float, float] = ANYWHERE,
) -> Coverage:
    """Draw ``trials`` samples of ``num_people`` and see whether their intervals hold ``truth``."""
    found = []
    for trial in range(trials):
        statistic, people = world(num_people, np.random.default_rng(trial))
        interval = interval_over_groups(
            statistic, people, seed=trial, num_resamples=num_resamples, limits=limits
        )
        if np.isfinite([interval.value, interval.low, interval.high]).all():
            found.append((interval.value, interval.low, interval.high))
    value, low, high = np.array(found).T
    return Coverage(
        truth=truth,
        bias=float(value.mean() - truth),
        covered=float(((low <= truth) & (truth <= high)).mean()),
        too_high=float((truth < low).mean()),
        too_low=float((truth > high).mean()),
        width=float(np.median(high - low)),
    )


INTRO = """\
# How often our intervals hold the truth

Written by `python -m benchmarks.coverage docs/coverage.md`; do not edit.

Every interval that we print says 95 %. Here samples of people, six items each (one video each for mAP, two for
linking), are drawn from worlds whose truth is known (the mean over {samples} samples of {people:,} people), {trials}
times each, and the intervals are counted that hold it. Items of a person agree more than items of different people.
"bias" is how far the statistic of a small sample lies off the truth by itself: mAP and average precision of few people
are too high, and the interval is moved by what halves of the sample tell of that.

| statistic | truth | people | bias | holds the truth | truth is below | truth is above | median width |
|---|---|---|---|---|---|---|---|
"""


def measure(trials: int, known: Measured | None = None) -> Measured:
    """How often the intervals of every statistic hold the truth, by number of people; ``known`` ones are kept."""
    found: Measured = {}
    for name, world in WORLDS.items():
        if known and name in known:
            found[name] = known[name]
            continue
        truth, limits = true_value(world), SHARE if name in SHARES else ANYWHERE
        for num_people in NUM_PEOPLE:
            one = coverage(world, num_people, truth=truth, trials=trials, limits=limits)
            found.setdefault(name, {})[str(num_people)] = asdict(one)
            print(f"{name} of {num_people} people: {one.covered:.1%}", file=sys.stderr, flush=True)
    return found


def write_page(measured: Measured, *, trials: int) -> str:
    """The page: one row per statistic and number of people, and what falls outside 90 to 98 %."""
    rows, outside = [], []
    for name, by_people in measured.items():
        for num_people, values in by_people.items():
            found = Coverage(**values)
            rows.append(
                f"| {name} | {found.truth:.3f} | {num_people} | {found.bias:+.3f} | {found.covered:.1%} "
                f"| {found.too_high:.1%} | {found.too_low:.1%} | {found.width:.3f} |"
            )
            if not LOW <= found.covered <= HIGH:
                outside.append(f"{name} of {num_people} people ({found.covered:.1%})")
    told = f"Outside of {LOW:.0%} to {HIGH:.0%}: {', '.join(outside) or 'nothing'}."
    return (
        INTRO.format(people=TRUTH_PEOPLE, samples=TRUTH_SAMPLES, trials=trials)
        + "\n".join(rows)
        + f"\n\n{told}\n"
    )


def main() -> None:
    """Read the command line, draw the samples, keep what they say, and write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("page", type=Path)
    parser.add_argument("--trials", type=int, default=TRIALS)
    parser.add_argument("--missing", action="store_true", help="keep what was measured with as many trials")
    chosen = parser.parse_args()
    kept = chosen.page.parent / KEPT
    before = json.loads(kept.read_text()) if chosen.missing and kept.is_file() else {}
    known = before["statistics"] if before.get("trials") == chosen.trials else None
    measured = measure(chosen.trials, known)
    kept.parent.mkdir(parents=True, exist_ok=True)
    kept.write_text(json.dumps({"trials": chosen.trials, "statistics": measured}, indent=1) + "\n")
    chosen.page.write_text(write_page(measured, trials=chosen.trials))


if __name__ == "__main__":
    main()
