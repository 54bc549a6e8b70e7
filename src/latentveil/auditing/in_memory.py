"""The whole audit of features in memory: attacks, tasks, risks, pictures and the certificate; nothing is written."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latentveil import __version__
from latentveil.adapters.anonymize import remake
from latentveil.attacks import load_attacks
from latentveil.auditing.certificate import certify as certify_release
from latentveil.auditing.extras import feature_map
from latentveil.auditing.inputs import AuditInputs
from latentveil.auditing.kept_parts import (
    PicturesFound,
    RisksFound,
    find_pictures,
    find_risks,
)
from latentveil.auditing.measure import AuditParts, AuditPlan, all_secrets, audit_features
from latentveil.auditing.omissions import blank_unknown
from latentveil.auditing.recipients import Recipient, weakest_for
from latentveil.auditing.reconstruction import visible_secret
from latentveil.auditing.result import Audit
from latentveil.auditing.sampling import sample_people
from latentveil.auditing.trust import flag_release, flag_results
from latentveil.labels import Labels
from latentveil.machine.engines import Crew
from latentveil.progress import OnProgress, Progress, silent
from latentveil.report.page import Extras
from latentveil.results.audit import Attacker, Flag, Inversion
from latentveil.results.certificate import Certificate
from latentveil.results.risks import Risks
from latentveil.results.verdict import ByRecipient
from latentveil.types import FeatureSet

PICTURES = "pictures from features"
CERTIFICATE = "certificate"
CLIP_FRAMES = 16  # of features whose encoder is not known


def audit_inputs(
    inputs: AuditInputs,
    plan: AuditPlan,
    *,
    videos: str | Path | None = None,
    crew: Crew | None = None,
    on_progress: OnProgress = silent,
) -> Audit:
    """Measure what is in memory; nothing is written."""
    plan = replace(plan, timing=inputs.timing or plan.timing)
    labels, _ = blank_unknown(inputs.labels)
    secrets = plan.secrets or all_secrets(labels)
    inversion: Inversion | None = None
    pictures: dict[str, bytes] = {}
    if videos is not None:
        on_progress(Progress(PICTURES, 0, 1))
        drawn_back = plan.finished.keeping("pictures", PicturesFound, find_pictures)(
            inputs.raw,
            inputs.anonymized,
            labels=labels,
            secret=visible_secret(secrets),
            videos=videos,
            clip_frames=inputs.encoder.clip_frames if inputs.encoder else CLIP_FRAMES,
            seed=plan.seed,
        )
        inversion, pictures = drawn_back.inversion, drawn_back.pictures
        on_progress(Progress(PICTURES, 1, 1))
    remade = [] if inputs.adapter is None else remake(inputs.adapter, inputs.raw, seed=plan.seed)
    redrawn = remade if len(remade) > 1 else []  # without noise there is nothing to draw again
    found = audit_features(
        inputs.raw,
        inputs.anonymized,
        inputs.labels,
        plan,
        redrawn=redrawn,
        names=inputs.names,
        crew=crew,
        on_progress=on_progress,
    )
    attacker = Attacker(
        holds_adapter=inputs.adapter is not None,
        redrawn_copies=len(redrawn),
        copies_for_risks=len(redrawn) if plan.recipient is not None and plan.recipient.has_adapter else 0,
        weakest={
            one.name: weakest_for(one, redrawn=bool(redrawn)).name for one in load_attacks(plan.attacks)
        },
    )
    risks, others, flags = _judge(
        inputs, plan, labels, found, attacker=attacker, remade=remade, on_progress=on_progress
    )
    drawn = feature_map(inputs.raw, inputs.anonymized, labels, secrets=secrets, name_people=plan.name_people)
    return Audit(
        version=__version__,
        encoder=inputs.encoder,
        adapter=inputs.made_by,
        data=replace(inputs.data, attacks=found.attacks),
        seed=plan.seed,
        attacker=attacker,
        secrets=found.secrets,
        tasks=found.tasks,
        risks=risks,
        recipient=plan.recipient.in_words() if plan.recipient else None,
        other_recipients=others,
        flags=inputs.flags + found.flags + flags,
        not_tested=found.not_tested,
        certificate=_certified(inputs, plan, labels, on_progress) if plan.certify else None,
        inversion=inversion,
        summary=found.summary,
        extras=Extras(feature_map=drawn, pictures=pictures),
    )


def _certified(
    inputs: AuditInputs, plan: AuditPlan, labels: Labels, on_progress: OnProgress
) -> Certificate | None:
    """The certificate of the clips that people publish; None where there are none of the wanted kinds."""
    kinds = plan.kinds_in(inputs.raw)
    if not kinds:
        return None
    on_progress(Progress(CERTIFICATE, 0, 1))
    found = plan.finished.keeping("certificate", Certificate, certify_release)(
        inputs.raw, inputs.anonymized, labels, kind=kinds[0], adapter=inputs.adapter, seed=plan.seed
    )
    on_progress(Progress(CERTIFICATE, 1, 1))
    return found


def _judge(
    inputs: AuditInputs,
    plan: AuditPlan,
    labels: Labels,
    found: AuditParts,
    *,
    attacker: Attacker,
    remade: Sequence[FeatureSet],
    on_progress: OnProgress,
) -> tuple[Risks, list[ByRecipient], list[Flag]]:
    """The three risks for the plan's recipient and for others, and what not to trust; of clips that people publish."""
    kinds = plan.kinds_in(inputs.raw)
    if not kinds:
        return Risks(), [], []
    compared, sampled = sample_people(labels, seed=plan.seed)
    measured = [
        _risks_for(one, inputs, plan, compared, found, remade=remade, on_progress=on_progress)
        for one in plan.recipients
    ]
    risks = measured[0].risks if measured else Risks()
    others = [ByRecipient(one.in_words(), its.risks) for one, its in zip(plan.others, measured[1:])]
    readings = [one for secret in found.secrets.values() for one in secret.readings]
    num_people = inputs.data.people if labels.person is not None else None
    flags = measured[0].flags + sampled if measured else []
    flags += flag_results(readings, risks, num_people=num_people)
    flags += flag_release(
        inputs.raw,
        inputs.anonymized,
        compared,
        kind=kinds[0],
        attacks=found.attacks,
        num_redrawn=attacker.redrawn_copies,
        copies_for_risks=attacker.copies_for_risks,
        seed=plan.seed,
    )
    return risks, others, flags


def _risks_for(
    recipient: Recipient,
    inputs: AuditInputs,
    plan: AuditPlan,
    labels: Labels,
    found: AuditParts,
    *,
    remade: Sequence[FeatureSet],
    on_progress: OnProgress,
) -> RisksFound:
    """The three risks for one recipient; what a stopped audit had measured is taken as it is."""
    kept_as = "risks" if recipient == plan.recipient else f"risks, {recipient.name}"
    measured = plan.finished.keeping(kept_as, RisksFound, find_risks)(
        inputs.raw,
        inputs.anonymized,
        labels,
        recipient=recipient,
        kind=plan.kinds_in(inputs.raw)[0],
        remade=remade,
        seed=plan.seed,
        on_progress=on_progress,
    )
    inference = found.inference.get(recipient.name, {})
    return replace(measured, risks=replace(measured.risks, inference=inference))
