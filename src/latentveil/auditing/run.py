"""The verb `audit`: what leaks and what stays, as one result, and as files where a folder is given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from latentveil.adapters.adapter import AdapterLike, read_training_log
from latentveil.attacks import load_attacks
from latentveil.attacks.base import Attack
from latentveil.auditing.files import fill_card
from latentveil.auditing.in_memory import audit_inputs
from latentveil.auditing.inputs import read_inputs
from latentveil.auditing.kept_parts import finished_before
from latentveil.auditing.measure import AuditPlan
from latentveil.auditing.recipients import STRONGEST, find_recipients
from latentveil.auditing.request import audit_request, audited_before
from latentveil.auditing.result import Audit, require_report_folder
from latentveil.auditing.verdict import judged, require_limit
from latentveil.files.place_files import local_folder
from latentveil.files.places import PlaceLike, as_place
from latentveil.labels import LabelsLike, SegmentsLike, as_segments
from latentveil.machine.engines import LOCAL, Engine, find_crew
from latentveil.names import as_names
from latentveil.progress import OnProgress, shown
from latentveil.store.one_run import one_run_per_output
from latentveil.store.sources import FeaturesLike
from latentveil.tasks.build import check_tasks
from latentveil.types import KINDS


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
    rename: str | Path | None = None,
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

    ``rename`` is for ``anonymized`` videos that go by other names: the file of names that `export_features` drew or
    was given. Labels keep the old names, and the new ones are looked at for what they tell.

    Where labels name people, the three risks of data protection (singling out, linkability, inference) are measured for
    ``recipient``, the one who gets the features: "features", "labels", "adapter" or "raw", after what they hold beside
    them; each can do what the one before can, and more. "all" is "raw", with the risks and a verdict for each of the
    others, too. None leaves the risks out.

    With ``certify`` the audit also says what holds for every attacker, not only for those it tried: the bound of the
    adapter's noise where there is one, and whether people or recordings can be told in the release at all.

    ``limit`` is how far an attacker may come, from 0 (guessing) to 1 (certainty): with it the audit has a verdict, pass
    or fail, over all risks that were tested and all secrets that the recipient could attack, by the upper ends of their
    intervals.

    ``engine`` "ray" runs the attacks on ``workers`` of a Ray cluster at ``address`` (by default this machine), with the
    same result; features are sent to them.

    With ``output`` audit.json, audit.md and report.html are written to that folder; the privacy card of an adapter that
    is given by its folder is filled in. An audit that was stopped or killed goes on there when it is called again: what
    it had finished is not done a second time, and the report is the same. Where this very audit is there already, it is
    returned as it is; a folder that holds another one is refused.
    """
    if output is not None:
        require_report_folder(as_place(output))
    if limit is not None:
        require_limit(limit)
    audited_for, others = find_recipients(recipient)
    plan = AuditPlan(
        secrets=as_names(secrets),
        kinds=as_names(kinds),
        attacks=load_attacks(attacks),
        tasks=None if tasks is None else as_names(tasks),
        segments=as_segments(segments),
        seed=seed,
        floor=floor,
        name_people=name_people,
        recipient=audited_for,
        others=others,
        certify=certify,
    )
    check_tasks(plan.tasks or (), with_segments=segments is not None)
    crew = find_crew(engine, address=address, workers=workers)
    inputs = read_inputs(raw, anonymized, labels=labels, adapter=adapter, rename=rename, seed=seed)
    folder = adapter if isinstance(adapter, str | Path) and Path(adapter).is_dir() else None
    request = None
    if output is not None:
        request = audit_request(inputs, plan, videos=videos, limit=limit)
        if (before := audited_before(request, as_place(output))) is not None:
            if folder is not None:
                fill_card(folder, before, adapter=inputs.adapter)
            return before
    plan = replace(plan, finished=finished_before(inputs, plan, videos=videos, output=output))
    with shown(progress) as on_progress:
        found = audit_inputs(inputs, plan, videos=videos, crew=crew, on_progress=on_progress)
    if limit is not None:
        found = judged(found, limit)
    if folder is not None:
        found = replace(found, extras=replace(found.extras, training_log=read_training_log(folder)))
    if output is not None and request is not None:
        with local_folder(as_place(output), upload=True) as here:
            found.save(here)
            request.keep(here)
        plan.finished.discard()
    if folder is not None:
        fill_card(folder, found, adapter=inputs.adapter)
    return found
