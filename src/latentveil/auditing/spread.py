"""The attacks of an audit, and how an engine's workers share them: a task is one attack on one secret in one kind."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from latentveil.attacks.base import Attack
from latentveil.auditing.answers import SecretAnswers
from latentveil.auditing.floor import Floor
from latentveil.auditing.leakage import BothAnswers, attack_both
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.machine.engines import Crew
from latentveil.progress import OnProgress, silent
from latentveil.types import FeatureSet


@dataclass(frozen=True, eq=False)
class AttackTask:
    """One attack on one secret."""

    secret: str
    kind: str
    attack: Attack


@dataclass(frozen=True, eq=False)
class AttackWork:
    """What attacks are run on, and how: here, or by a worker who holds it."""

    raw: FeatureSet
    anonymized: FeatureSet
    labels: Labels
    redrawn: tuple[FeatureSet, ...]
    floor: int
    seed: int

    def begin(self) -> Callable[[AttackTask], BothAnswers]:
        """What a worker does with each task."""
        return lambda task: self.attack(task.secret, task.kind, [task.attack])

    def attack(
        self, secret: str, kind: str, attacks: Sequence[Attack], *, on_progress: OnProgress = silent
    ) -> BothAnswers:
        """What some attacks answer about one secret in one kind of clips, before and after."""
        return attack_both(
            self.raw,
            self.anonymized,
            self.labels,
            secret,
            kind=kind,
            attacks=attacks,
            seed=self.seed,
            redrawn=self.redrawn,
            floor=self.floor,
            on_progress=on_progress,
        )


def attack_on(
    crew: Crew,
    work: AttackWork,
    *,
    secrets: Sequence[str],
    kinds: Sequence[str],
    attacks: Sequence[Attack],
    on_done: Callable[[str], None],
) -> dict[tuple[str, str], BothAnswers]:
    """What ``attack_both`` gives, {(secret, kind): answers}; ``on_done`` is told each task that has ended."""
    tasks = [AttackTask(secret, kind, attack) for secret in secrets for kind in kinds for attack in attacks]
    found: dict[tuple[str, str, str], BothAnswers] = {}
    with closing(crew.map(work.begin, tasks)) as outcomes:
        for outcome in outcomes:
            task = outcome.task
            what = f"{task.secret}, {task.kind} clips: {task.attack.name}"
            if outcome.result is None:
                raise InputError(f"the attack {what} must end, got none: {outcome.lost}.")
            found[task.secret, task.kind, task.attack.name] = outcome.result
            on_done(what)
    return {
        (secret, kind): join([found[secret, kind, attack.name] for attack in attacks])
        for secret in secrets
        for kind in kinds
    }


def join(parts: Sequence[BothAnswers]) -> BothAnswers:
    """The answers of several attacks on the same secret as those of one run, in the same order."""
    floors = [part.floor for part in parts if part.floor is not None]
    # In each repeat it is the best of the attacks that counts.
    floor = Floor(tuple(max(excess) for excess in zip(*(one.excess for one in floors)))) if floors else None
    raw, anonymized = (
        _join_answers([getattr(part, side) for part in parts]) for side in ("raw", "anonymized")
    )
    return BothAnswers(raw, anonymized, floor)


def _join_answers(parts: Sequence[SecretAnswers]) -> SecretAnswers:
    return replace(
        parts[0],
        probabilities={name: answer for part in parts for name, answer in part.probabilities.items()},
        settings={name: chosen for part in parts for name, chosen in part.settings.items()},
    )
