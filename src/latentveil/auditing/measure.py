"""The audit: what every attack learns of every secret, and what every task still reaches, before and after."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np

from latentveil.attacks import load_attacks
from latentveil.attacks.base import Attack
from latentveil.auditing.finished import FinishedWork
from latentveil.auditing.giveaways import flag_giveaways
from latentveil.auditing.leakage import BothAnswers, lies_above
from latentveil.auditing.omissions import blank_unknown, label_flags, secrets_not_tested
from latentveil.auditing.rare_classes import flag_rare_classes
from latentveil.auditing.recipients import Recipient, can_mount
from latentveil.auditing.risks.inference import infer_with, is_attribute_of_people
from latentveil.auditing.sampling import MAX_TRAINING_CLIPS, MAX_VALIDATION_CLIPS, clips_flag
from latentveil.auditing.splits import Fold, attack_folds
from latentveil.auditing.spread import AttackWork, attack_on
from latentveil.auditing.summary import summarise
from latentveil.errors import InputError, UsageError
from latentveil.labels import IDENTITY, Labels, Segment
from latentveil.machine.engines import Crew
from latentveil.machine.threads import threads_for
from latentveil.progress import OnProgress, Progress, silent
from latentveil.results.audit import Flag, Measured, NotTested, SecretLeakage, Summary, TaskResult
from latentveil.results.record import Record
from latentveil.results.risks import Inference
from latentveil.seeds import require_seed
from latentveil.store.renaming import NewNames
from latentveil.tasks.base import Task
from latentveil.tasks.build import available_tasks, build_tasks
from latentveil.types import KINDS, STATIC, TEMPORAL, ClipTiming, FeatureSet

STAGE = "audit"


@dataclass(frozen=True)
class AuditPlan:
    """What to measure. Empty ``secrets`` or ``tasks`` stand for all that the labels allow; ``tasks=None`` for none.

    ``timing`` is that of the store the features come from.
    ``floor`` is how often the attacks are repeated with nothing to learn, to know what they reach then; 0 for never.
    The report numbers people, and says who they are only with ``name_people``.
    ``recipient`` is whom the three risks are measured for; None for not at all. ``others`` are measured for, too. With
    ``certify`` it is also said what holds for every attacker. ``finished`` keeps what is measured, for an audit that is
    stopped.
    """

    secrets: Sequence[str] = ()
    kinds: Sequence[str] = KINDS
    attacks: str | Sequence[str | Attack] = "all"
    tasks: Sequence[str] | None = ()
    segments: dict[str, list[Segment]] | None = field(default=None, repr=False)
    timing: ClipTiming | None = None
    seed: int = 0
    floor: int = 0
    name_people: bool = False
    recipient: Recipient | None = None
    others: Sequence[Recipient] = ()
    certify: bool = False
    finished: FinishedWork = field(default=FinishedWork(), repr=False)

    def __post_init__(self) -> None:
        require_seed(self.seed)
        if self.floor < 0:
            raise UsageError(f"floor must be 0 or more repeats, got {self.floor}.")

    @property
    def recipients(self) -> list[Recipient]:
        """All whom the three risks are measured for."""
        return [] if self.recipient is None else [self.recipient, *self.others]

    def kinds_in(self, features: FeatureSet) -> list[str]:
        """The wanted kinds of clips that the features have, temporal first: of that one the risks are told."""
        return [kind for kind in KINDS if kind in self.kinds and (features.kind == kind).any()]


@dataclass(frozen=True, eq=False)
class AuditParts(Record):
    """What is measured on features in memory: the parts of an audit that need no store.

    ``inference`` is by recipient, then by secret.
    """

    attacks: list[str]
    secrets: dict[str, SecretLeakage]
    tasks: dict[str, TaskResult]
    summary: Summary
    not_tested: list[NotTested]
    flags: list[Flag]
    inference: dict[str, dict[str, Inference]] = field(default_factory=dict)


def audit_features(
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    plan: AuditPlan,
    *,
    redrawn: Sequence[FeatureSet] = (),
    names: NewNames | None = None,
    crew: Crew | None = None,
    on_progress: OnProgress = silent,
) -> AuditParts:
    """Run every attack and every task of the plan, the attacks on a ``crew`` of workers where there is one.

    ``anonymized`` must hold the same clips as ``raw``; ``redrawn`` are copies of it with other noise, for the attack
    that holds the adapter, and ``names`` what the anonymized videos are called where it is something else.
    ``on_progress`` is told each task and each attack.
    """
    labels, flags = blank_unknown(labels.only(raw.video))
    attacked = plan.secrets or all_secrets(labels)
    # What is wrong with the labels is found before hours of attacks, not after.
    folds = {secret: attack_folds(labels, secret, seed=plan.seed) for secret in attacked}
    kinds = plan.kinds_in(raw)
    if plan.kinds and not kinds:
        known = ", ".join(sorted(set(raw.kind.tolist())))
        raise UsageError(f"kinds must be among those of the features ({known}), got {', '.join(plan.kinds)}.")
    chosen = () if plan.tasks is None else (plan.tasks or available_tasks(labels, plan.segments))
    loaded = load_attacks(plan.attacks)
    steps = _Steps(len(chosen) + len(attacked) * len(kinds) * len(loaded) * (2 + plan.floor), on_progress)
    tasks = _measure_tasks(chosen, raw, anonymized, labels, plan, steps)
    work = AttackWork(raw, anonymized, labels, tuple(redrawn), plan.floor, plan.seed)
    attack = _attacker(work, plan, crew, steps, secrets=attacked, kinds=kinds, attacks=loaded)
    secrets: dict[str, SecretLeakage] = {}
    inference: dict[str, dict[str, Inference]] = {}
    for secret in attacked if kinds else ():
        answers = [attack(secret, kind) for kind in kinds]
        readings = [found.compare(seed=plan.seed) for found in answers]
        secrets[secret] = _joined(readings)
        for found, reading in zip(answers, readings, strict=True):
            flags += flag_rare_classes(found.anonymized, reading, seed=plan.seed)
        for one in plan.recipients if is_attribute_of_people(secret, labels) else ():
            mounted = [attack.name for attack in loaded if can_mount(one, attack, redrawn=bool(redrawn))]
            if mounted:
                of_all = inference.setdefault(one.name, {})
                of_all[secret] = infer_with(answers[0], mounted, seed=plan.seed)
    return AuditParts(
        attacks=[attack.name for attack in loaded],
        secrets=secrets,
        tasks=tasks,
        summary=summarise([one for secret in secrets.values() for one in secret.readings], tasks),
        not_tested=secrets_not_tested(labels, attacked),
        flags=[
            *flags,
            *label_flags(labels, folds),
            *flag_giveaways(raw, labels, attacked, seed=plan.seed, names=names),
            *_sample_flags(raw, folds, kinds, seed=plan.seed),
        ],
        inference=inference,
    )


def _measure_tasks(
    names: Sequence[str],
    raw: FeatureSet,
    anonymized: FeatureSet,
    labels: Labels,
    plan: AuditPlan,
    steps: _Steps,
) -> dict[str, TaskResult]:
    """What every task reaches before and after; what a stopped audit had measured is taken as it is."""
    before, after = (
        build_tasks(names, features, labels, segments=plan.segments, timing=plan.timing)
        for features in (raw, anonymized)
    )
    found = {}
    for name in names:
        with threads_for(raw.feature.size):
            measure = plan.finished.keeping(f"task {name}", TaskResult, measure_utility)
            found[name] = measure(before[name], after[name], seed=plan.seed)
        steps.done(name)
    return found


def _attacker(
    work: AttackWork,
    plan: AuditPlan,
    crew: Crew | None,
    steps: _Steps,
    *,
    secrets: Sequence[str],
    kinds: Sequence[str],
    attacks: Sequence[Attack],
) -> Callable[[str, str], BothAnswers]:
    """What gives the answers about a secret in a kind of clips: one by one here, or all of them by a crew before."""
    if crew is not None:
        done = partial(steps.done, count=2 + plan.floor)
        spread = attack_on(crew, work, secrets=secrets, kinds=kinds, attacks=attacks, on_done=done)
        return lambda secret, kind: spread[secret, kind]
    # A crew's machines do not share our folder, so only answers given here are kept.
    kept = [plan.finished.attack(attack) for attack in attacks]
    return lambda secret, kind: work.attack(secret, kind, kept, on_progress=steps.within)


def _sample_flags(
    raw: FeatureSet, folds: Mapping[str, Sequence[Fold]], kinds: Sequence[str], *, seed: int
) -> list[Flag]:
    """A flag for each secret whose attacks learn from a sample of the clips of a kind, in its first fold."""
    flags = []
    for secret, (fold, *_) in folds.items():
        for kind in kinds:
            of_kind = raw.video[raw.kind == kind]
            known = [int(np.isin(of_kind, part).sum()) for part in (fold.train, fold.validation)]
            learned = min(known[0], MAX_TRAINING_CLIPS) + min(known[1], MAX_VALIDATION_CLIPS)
            what = f"{secret.replace('_', ' ')} in {kind} clips"
            flags.append(clips_flag(sum(known), learned, what=what, seed=seed))
    return [flag for flag in flags if flag is not None]


class _Steps:
    """Counts the steps of an audit, whose number is known when it begins."""

    def __init__(self, total: int, on_progress: OnProgress) -> None:
        self.total, self.on_progress, self.number = total, on_progress, 0
        on_progress(Progress(STAGE, 0, total))

    def done(self, what: str, *, count: int = 1) -> None:
        self.number += count
        self.on_progress(Progress(STAGE, self.number, self.total, what))

    def within(self, step: Progress) -> None:
        """Where the attacks on one secret are, which count as their total when they are through."""
        self.on_progress(Progress(STAGE, self.number + step.done, self.total, f"{step.stage}: {step.note}"))
        if step.done == step.total:
            self.number += step.done


def _joined(readings: Iterable[SecretLeakage]) -> SecretLeakage:
    """The readings of one secret as one entry: that from temporal clips, with the stills in it, or the stills alone."""
    by_kind = {reading.kind: reading for reading in readings}
    if TEMPORAL not in by_kind:
        return by_kind[STATIC]
    return replace(by_kind[TEMPORAL], stills=by_kind.get(STATIC))


def all_secrets(labels: Labels) -> list[str]:
    """Every secret of the labels, and identity where people are known; ones that do not vary are left out."""
    names = labels.secrets + ([IDENTITY] if labels.person is not None else [])
    varying = [name for name in names if len(set(labels.column(name)) - {""}) > 1]
    if not varying:
        raise InputError("labels must have a column secret_… or person with two values or more, got none.")
    return varying


def measure_utility(raw: Task, anonymized: Task, *, seed: int) -> TaskResult:
    """A task's test score with fresh heads on raw and on anonymized features, and the share that is kept."""
    before, after = (task.score(task.fit_head(seed=seed), "test", seed=seed) for task in (raw, anonymized))
    useful = lies_above(before.interval, raw.chance)
    return TaskResult(
        metric=before.metric,
        chance=raw.chance,
        raw=Measured.of(before.interval, before.details),
        anonymized=Measured.of(after.interval, after.details),
        kept=after.interval.value / before.interval.value if useful else None,
    )
