"""Which numbers of an audit not to trust, gathered from what it found and from the features themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence

import numpy as np

from latentveil.auditing import flags
from latentveil.auditing.risks.alignment import centred
from latentveil.auditing.risks.videos import PeopleVideos
from latentveil.errors import InputError
from latentveil.labels import IDENTITY, Labels
from latentveil.report.words import number, plain, secret_in_words
from latentveil.results.audit import Flag, SecretLeakage
from latentveil.results.risks import Linkability, Risks
from latentveil.types import FeatureSet, Interval

# This many clips are enough to tell whether a change is a scaling.
MAX_CLIPS = 5000
INFORMED = "informed"


def flag_results(readings: Sequence[SecretLeakage], risks: Risks, *, num_people: int | None) -> list[Flag]:
    """Numbers of too few people, or of raw features with no room to fall or nothing to lose; each flag once.

    ``num_people`` is None where nobody is named: then intervals are over videos.
    """
    found = [
        *(pair for one in readings for pair in _flag_reading(one, num_people)),
        *_flag_risks(risks),
    ]
    names: dict[tuple[str, str], list[str]] = {}
    for name, flag in found:
        if flag is not None:
            names.setdefault((flag.flag, flag.why), []).append(name)
    return [Flag(flag, f"{_sentence('; '.join(about))}: {why}.") for (flag, why), about in names.items()]


def flag_release(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    *,
    kind: str,
    attacks: Iterable[str],
    num_redrawn: int,
    copies_for_risks: int,
    seed: int,
) -> list[Flag]:
    """What is odd about the release as a whole.

    A mere scaling, a draw of many, one that hides what is planted, or one that leaves alone what it was fitted on.

    ``num_redrawn`` is how many more draws of the release were made with the adapter; the attack `informed` uses them.
    ``copies_for_risks`` are those that singling out and linkability used.
    """
    num_draws = 1 + (num_redrawn if INFORMED in set(attacks) else 0)
    found = [
        _flag_scaling(raw, anonymized, kind=kind, seed=seed),
        flags.randomised_release(num_redrawn > 0, num_draws=num_draws, num_risk_draws=1 + copies_for_risks),
        _flag_planted(raw, anonymized, labels, kind=kind, seed=seed),
        _flag_memorised(raw, anonymized, labels, kind=kind, seed=seed),
    ]
    return [Flag(flag.flag, f"{_sentence(flag.why)}.") for flag in found if flag is not None]


def _flag_reading(one: SecretLeakage, num_people: int | None) -> Iterator[tuple[str, Flag | None]]:
    name = secret_in_words(one)
    if num_people is not None:
        is_identity = one.secret in (IDENTITY, "person")  # whose intervals are over videos
        yield name, flags.too_few_people(num_people if is_identity else one.num_groups or num_people)
    yield name, flags.raw_at_ceiling(one.worst.raw.value, chance=one.chance)
    yield name, flags.below_chance(one.worst.anonymized, chance=one.chance)
    if one.leakage_removed is None:
        yield name, _flag_nothing_to_remove(one.worst.raw, chance=one.chance)


def _flag_risks(risks: Risks) -> Iterator[tuple[str, Flag | None]]:
    if risks.singling_out is not None:
        found, name = risks.singling_out, "singling out"
        yield name, flags.too_few_people(found.num_people)
        yield from _flag_raw(f"{name} with all known videos", found.raw[-1].top1, chance=found.chance)
    if risks.linkability is not None:
        yield from _flag_links(risks.linkability)


def _flag_links(found: Linkability) -> Iterator[tuple[str, Flag | None]]:
    for pairs, raw in found.raw.items():
        anonymized = found.anonymized[pairs]
        for unit, before, after in (
            ("one video each", raw.video, anonymized.video),
            ("videos pooled", raw.pooled, anonymized.pooled),
        ):
            if before is not None and after is not None:
                name = f"linkability, {plain(pairs)}, {unit}"
                yield name, flags.too_few_people(before.num_people)
                yield from _flag_raw(name, before.auc, chance=0.5)
                yield name, flags.linked_turned_round(after.attacks, after.auc)


def _flag_raw(name: str, raw: Interval, *, chance: float) -> Iterator[tuple[str, Flag | None]]:
    yield name, flags.raw_at_ceiling(raw.value, chance=chance)
    yield name, _flag_nothing_to_remove(raw, chance=chance)


def _flag_nothing_to_remove(raw: Interval, *, chance: float) -> Flag | None:
    """A flag for raw features that are not clearly above chance, or whose interval is unknown."""
    found = flags.raw_not_above_chance(raw, chance=chance)
    if found is None or not math.isnan(raw.low):
        return found
    why = (
        f"raw features reach {number(raw.value, digits=3)}, guessing {chance:.3f}, and the interval is unknown, as it "
        "is with very few people: it cannot be told whether there was anything to remove"
    )
    return Flag(found.flag, why)


def _flag_scaling(raw: FeatureSet, anonymized: FeatureSet, *, kind: str, seed: int) -> Flag | None:
    rows = np.random.default_rng(seed).permutation(np.flatnonzero(raw.kind == kind))[:MAX_CLIPS]
    before, after = raw.feature[rows], anonymized.feature[rows]
    if not centred(after.astype(np.float64)).any():
        return None  # a constant is a scaling by 0, which nobody undoes
    return flags.scaling_only(flags.unexplained_by_scaling(before, after))


def _flag_memorised(
    raw: FeatureSet, anonymized: FeatureSet, labels: Labels, *, kind: str, seed: int
) -> Flag | None:
    """A flag for an adapter that moves the videos it was fitted on (split train) less than those of the split test."""
    if raw.feature.shape != anonymized.feature.shape:
        return None
    moved = []
    for part in ("train", "test"):
        rows = np.flatnonzero((raw.kind == kind) & np.isin(raw.video, labels.videos(part)))
        rows = np.random.default_rng(seed).permutation(rows)[:MAX_CLIPS]
        if len(rows) < 2:
            return None
        moved.append(flags.moved_share(raw.feature[rows], anonymized.feature[rows]))
    return flags.memorised_consistency(*moved)


def _flag_planted(
    raw: FeatureSet, anonymized: FeatureSet, labels: Labels, *, kind: str, seed: int
) -> Flag | None:
    """None also where there are too few people to plant a secret in, which has a flag of its own."""
    if labels.person is None:
        return None
    try:
        videos = PeopleVideos.gather(raw, anonymized, labels, kind=kind)
        area = flags.finds_planted(videos.anonymized, videos.person, seed=seed)
    except InputError:
        return None
    return flags.planted_secret_missed(area)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
