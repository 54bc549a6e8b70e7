"""What an audit finds, as plain typed records: the content of audit.json."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

from latentveil.results.certificate import Certificate
from latentveil.results.record import Record
from latentveil.results.risks import Recipient, Risks
from latentveil.results.verdict import ByRecipient, Verdict
from latentveil.types import EncoderInfo, Interval

SCHEMA = 2


@dataclass(frozen=True)
class Measured(Interval):
    """A measured value with its 95 % interval, and further numbers by name."""

    details: dict[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, interval: Interval, details: dict[str, float]) -> Measured:
        return cls(interval.value, interval.low, interval.high, details)

    @property
    def interval(self) -> Interval:
        """The value and its ends alone."""
        return Interval(self.value, self.low, self.high)

    def to_dict(self) -> dict[str, Any]:
        """For JSON, which knows no NaN: an unknown number is None."""
        details = {name: value if math.isfinite(value) else None for name, value in self.details.items()}
        return self.interval.to_dict() | {"details": details}


@dataclass(frozen=True, eq=False)
class AttackLeakage(Record):
    """One attack on raw and on anonymized features, and what it chose on the latter in each fold."""

    raw: Measured
    anonymized: Measured
    settings: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class Worst(Record):
    """What the most successful attack of all reached on raw and on anonymized features, and which that was."""

    raw: Interval
    anonymized: Interval
    attack: str
    raw_attack: str = ""


@dataclass(frozen=True, eq=False)
class FloorLevel(Record):
    """What the best attack reaches with nothing to learn: the mean, the spread of one repeat, and every repeat."""

    value: float
    spread: float | None
    repeats: list[float]


@dataclass(frozen=True, eq=False)
class SecretLeakage(Record):
    """The leakage of one secret: every attack, the worst on either side, and the share that is gone.

    ``leakage_removed`` is 1 - (worst anonymized - chance) / (worst raw - chance), 1 where the worst attack on
    anonymized features is at chance, negative where they leak more than raw ones. It is None where the interval of the
    worst raw attack does not lie above chance: then it cannot be told. ``learned`` is how far the worst attack on
    anonymized features came on the way from guessing (0) to certainty (1). In both, a distance below chance counts like
    one above where the whole interval lies below.
    ``leakage_removed_over_floor`` is the same with the floor in the place of chance, where that was measured.
    ``stills`` is the same secret read from static clips, where this reading is from temporal ones.
    """

    secret: str
    kind: str
    metric: str
    chance: float
    attacks: dict[str, AttackLeakage]
    worst: Worst
    leakage_removed: float | None
    leakage_removed_interval: Interval | None = None
    learned: Interval | None = None
    num_videos: int | None = None
    num_groups: int | None = None
    floor: FloorLevel | None = None
    leakage_removed_over_floor: float | None = None
    leakage_removed_over_floor_interval: Interval | None = None
    stills: SecretLeakage | None = None

    @property
    def readings(self) -> list[SecretLeakage]:
        """This reading, and that from stills where there is one."""
        return [self] if self.stills is None else [self, self.stills]


@dataclass(frozen=True, eq=False)
class TaskResult(Record):
    """What a task reaches with fresh models on raw and on anonymized features.

    ``kept`` is anonymized / raw, or None where the raw interval does not lie above chance: nothing to keep.
    """

    metric: str
    chance: float
    raw: Measured
    anonymized: Measured
    kept: float | None


@dataclass(frozen=True, eq=False)
class Summary(Record):
    """Means over readings and tasks, and ``nhv``: the area of the one point (utility, privacy), each above chance."""

    leakage_removed: float | None
    utility_kept: float | None
    nhv: float | None
    leakage_removed_over_floor: float | None = None


@dataclass(frozen=True, eq=False)
class SeenAttribute(Record):
    """How often a secret is named from pictures: by guessing, and from each kind of picture."""

    secret: str
    chance: float
    named: dict[str, Interval]


@dataclass(frozen=True, eq=False)
class Inversion(Record):
    """What decoders draw from features of ``kind``; ``clips`` is how many they learn from and are graded on.

    The keys of ``psnr`` and ``ssim``: "raw", "adaptive" (a decoder trained on anonymized features), "non_adaptive"
    (one trained on raw features) and "mean_frame" (the mean training picture); ``attribute`` has "original" too.
    """

    kind: str
    clips: dict[str, int]
    psnr: dict[str, Interval]
    ssim: dict[str, Interval]
    attribute: SeenAttribute


@dataclass(frozen=True, eq=False)
class AuditedData(Record):
    """What was measured on: how much of it, when, and which stores (the sha256 of their manifests).

    ``people`` and ``recordings`` are None where the labels do not tell. ``unlabelled_videos`` of the store and
    ``labels_of_no_video`` were left out.
    """

    videos: int
    clips: int
    labels: str
    people: int | None = None
    recordings: int | None = None
    unlabelled_videos: int = 0
    labels_of_no_video: int = 0
    date: str = ""
    raw_sha256: str = ""
    anonymized_sha256: str = ""
    attacks: list[str] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class AuditedAdapter(Record):
    """The adapter that made the anonymized features."""

    name: str
    sha256: str


@dataclass(frozen=True, eq=False)
class Attacker(Record):
    """What the attacks had beside the features: the adapter itself, and copies drawn with other noise.

    ``copies_for_risks`` are those that singling out and linkability learned from: none for a recipient without adapter.
    ``weakest`` names, for each attack on secrets, the recipient who holds the least of all who could mount it.
    """

    holds_adapter: bool
    redrawn_copies: int
    copies_for_risks: int = 0
    weakest: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class NotTested(Record):
    """A secret of the labels that no attack was tried on, and why."""

    secret: str
    why: str


@dataclass(frozen=True, eq=False)
class Flag(Record):
    """A reason not to trust a number: its short name, and what it means here."""

    flag: str
    why: str


@dataclass(frozen=True, eq=False, kw_only=True)
class AuditResults(Record):
    """Everything that an audit found, in the order of audit.json.

    ``secrets`` has one entry per secret: its reading from temporal clips, with ``stills`` in it; where there are
    stills only, the entry is the reading from those. ``readings`` has all of them in one row. ``risks`` and ``verdict``
    are for ``recipient``; ``other_recipients`` have their own, where the audit was asked about all.
    """

    schema: int = SCHEMA
    version: str
    encoder: EncoderInfo | None
    adapter: AuditedAdapter | None
    data: AuditedData
    seed: int
    attacker: Attacker | None = None
    secrets: dict[str, SecretLeakage]
    tasks: dict[str, TaskResult]
    risks: Risks = field(default_factory=Risks)
    recipient: Recipient | None = None
    other_recipients: list[ByRecipient] = field(default_factory=list)
    flags: list[Flag] = field(default_factory=list)
    not_tested: list[NotTested] = field(default_factory=list)
    certificate: Certificate | None = None
    verdict: Verdict | None = None
    inversion: Inversion | None = None
    summary: Summary

    @property
    def readings(self) -> list[SecretLeakage]:
        """Every secret from every kind of clips, one after the other."""
        return [reading for secret in self.secrets.values() for reading in secret.readings]
