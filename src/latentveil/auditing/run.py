"""The verb `audit`: what leaks and what stays, as one result, and as files where a folder is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latentveil import __version__
from latentveil.adapters.adapter import AdapterLike, read_training_log
from latentveil.adapters.anonymize import remake
from latentveil.attacks import load_attacks
from latentveil.attacks.base import Attack
from latentveil.auditing.certificate import certify as certify_release
from latentveil.auditing.extras import feature_map
from latentveil.auditing.files import fill_card
from latentveil.auditing.inputs import AuditInputs, read_inputs
from latentveil.auditing.kept_parts import (
    PicturesFound,
    RisksFound,
    find_pictures,
    find_risks,
    finished_before,
)
from latentveil.auditing.measure import AuditParts, AuditPlan, all_secrets, audit_features
from latentveil.auditing.omissions import blank_unknown
from latentveil.auditing.recipients import STRONGEST, find_recipient
from latentveil.auditing.reconstruction import visible_secret
from latentveil.auditing.result import Audit, require_report_folder
from latentveil.auditing.sampling import sample_people
from latentveil.auditing.trust import flag_release, flag_results
from latentveil.auditing.verdict import judge, require_limit
from latentveil.files.place_files import local_folder
from latentveil.files.places import PlaceLike, as_place
from latentveil.labels import Labels, LabelsLike, SegmentsLike, as_segments
from latentveil.machine.engines import LOCAL, Crew, Engine, find_crew
from latentveil.names import as_names
from latentveil.progress import OnProgress, Progress, shown, silent
from latentveil.report.page import Extras
from latentveil.results.audit import Attacker, Flag, Inversion
from latentveil.results.certificate import Certificate
from latentveil.results.risks import Risks
from latentveil.store.one_run import one_run_per_output
from latentveil.store.sources import FeaturesLike
from latentveil.tasks.build import check_tasks
from latentveil.types import KINDS, FeatureSet

PICTURES = "pictures from features"
CERTIFICATE = "certificate"
CLIP_FRAMES = 16  # of features whose encoder is not known


@one_run_per_output
def audit(
    raw: FeaturesLike,
    anonymized: FeaturesLike,
    labels: LabelsLike,
    output: PlaceLike | None = None,
    *,
    adapter: AdapterLike | None = None,
    secrets: str | Sequence[str] = (),
    kinds: str | Sequence[str] = KINDS,
    attacks: str | Sequence[str | Attack] = "all",
    tasks: str | Sequence[str] | None = (),
    segments: SegmentsLike | None = None,
    videos: str | Path | None = None,
    name_people: bool = False,
    recipient: str | None = STRONGEST.name,
    certify: bool = False,
    limit: float | None = None,
    floor: int = 0,
    seed: int = 0,
    engine: str | Engine = LOCAL,
    address: str | None = None,
    workers: int | None = None,
    progress: bool | OnProgress = True,
) -> Audit:
    """What attackers learn from ``raw`` and from ``anonymized`` features of the same clips, and what tasks still reach.

    ``secrets`` and ``tasks`` are all that the labels allow unless given; ``tasks=None`` measures none. ``kinds`` of
    clips are temporal and static. ``attacks`` are "all", names, or attack objects. With ``adapter`` an attacker is
    tried who holds it too. With ``videos``, the folder that the videos are in, decoders try to bring the picture back
    from features; the page then shows some frames. ``floor`` is how often the attacks are repeated with nothing to
    learn, to know what they reach then. The report numbers people, and says who they are only with ``name_people``.

    Where labels name people, the three risks of data protection (singling out, linkability, inference) are measured for
    ``recipient``, the one who gets the features: "features", "labels", "adapter" or "raw", after what they hold beside
    them; each can do what the one before can, and more. None leaves the risks out.

    With ``certify`` the audit also says what holds for every attacker, not only for those it tried: the bound of the
    adapter's noise where there is one, and whether people or recordings can be told in the release at all.

    ``limit`` is how far an attacker may come, from 0 (guessing) to 1 (certainty): with it the audit has a verdict, pass
    or fail, over all secrets and risks that were tested, by the upper ends of their intervals.

    ``engine`` "ray" runs the attacks on ``workers`` of a Ray cluster at ``address`` (by default this machine), with the
    same result; features are sent to them.

    With ``output`` audit.json, audit.md and report.html are written to that folder; the privacy card of an adapter that
    is given by its folder is filled in. An audit that was stopped or killed goes on there when it is called again: what
    it had finished is not done a second time, and the report is the same.
    """
    if output is not None:
        require_report_folder(as_place(output))
    if limit is not None:
        require_limit(limit)
    plan = AuditPlan(
        secrets=as_names(secrets),
        kinds=as_names(kinds),
        attacks=load_attacks(attacks),
        tasks=None if tasks is None else as_names(tasks),
        segments=as_segments(segments),
        seed=seed,
        floor=floor,
        name_people=name_people,
        recipient=None if recipient is None else find_recipient(recipient),
        certify=certify,
    )
    check_tasks(plan.tasks or (), with_segments=segments is not None)
    crew = find_crew(engine, address=address, workers=workers)
    inputs = read_inputs(raw, anonymized, labels=labels, adapter=adapter, seed=seed)
    plan = replace(plan, finished=finished_before(inputs, plan, videos=videos, output=output))
    with shown(progress) as on_progress:
        found = audit_inputs(inputs, plan, videos=videos, crew=crew, on_progress=on_progress)
    if limit is not None:
        found = replace(found, verdict=judge(found, limit))
    folder = adapter if isinstance(adapter, str | Path) and Path(adapter).is_dir() else None
    if folder is not None:
        found = replace(found, extras=replace(found.extras, training_log=read_training_log(folder)))
    if output is not None:
        with local_folder(as_place(output), upload=True) as here:
            found.save(here)
        plan.finished.discard()
    if folder is not None:
        fill_card(folder, found, adapter=inputs.adapter)
    return found


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
    labels, _ = blank_unknown(inputs.labels, plan.secrets)
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
        crew=crew,
        on_progress=on_progress,
    )
    attacker = Attacker(
        holds_adapter=inputs.adapter is not None,
        redrawn_copies=len(redrawn),
        copies_for_risks=len(redrawn) if plan.recipient is not None and plan.recipient.has_adapter else 0,
    )
    risks, flags = _judge(
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
) -> tuple[Risks, list[Flag]]:
    """The three risks for the plan's recipient, and what not to trust; of the clips that people publish."""
    kinds = plan.kinds_in(inputs.raw)
    risks = Risks()
    flags: list[Flag] = []
    if not kinds:
        return risks, flags
    compared, sampled = sample_people(labels, seed=plan.seed)
    if plan.recipient is not None:
        measured = plan.finished.keeping("risks", RisksFound, find_risks)(
            inputs.raw,
            inputs.anonymized,
            compared,
            recipient=plan.recipient,
            kind=kinds[0],
            remade=remade,
            seed=plan.seed,
            on_progress=on_progress,
        )
        risks, flags = replace(measured.risks, inference=found.inference), measured.flags + sampled
    readings = [one for secret in found.secrets.values() for one in secret.readings]
    num_people = inputs.data.people if labels.person is not None else None
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
    return risks, flags
