"""The verb `tune`: try settings on validation videos, take the best, and fit it on all training videos."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path

from latentveil.attacks import load_attacks
from latentveil.auditing.measure import all_secrets
from latentveil.auditing.sampling import sample_videos
from latentveil.checksums import short_checksum
from latentveil.config import as_changes
from latentveil.errors import UsageError
from latentveil.files.outputs import write_whole
from latentveil.files.places import local_path
from latentveil.labels import LabelsLike, SegmentsLike, as_segments
from latentveil.machine.engines import LOCAL, Engine, find_crew
from latentveil.methods.base import Method
from latentveil.methods.fit import fit
from latentveil.methods.plan import FitPlan, load_config
from latentveil.methods.request import check_request
from latentveil.names import as_names
from latentveil.notices import notify
from latentveil.progress import OnProgress, Progress, shown
from latentveil.seeds import require_seed
from latentveil.store.labelled import labels_for
from latentveil.store.one_run import one_run_per_output
from latentveil.store.sources import FeaturesLike, content_name, open_features
from latentveil.tasks.build import MOTION, available_tasks
from latentveil.tuning.choice import choose, keeps_enough
from latentveil.tuning.dials import DialsLike, settings_to_try
from latentveil.tuning.finished import FinishedTrials, fingerprint
from latentveil.tuning.page import render
from latentveil.tuning.rehearsal import rehearsal_labels
from latentveil.tuning.request import ADAPTER, PAGE, RESULT, require_own_folder, tuned_before, tuning_request
from latentveil.tuning.result import Tuning
from latentveil.tuning.spread import TrialWork, run_trials
from latentveil.tuning.trial import Ruler

STAGE = "tune"
# Quick to fit, and of two kinds. They rehearse; the audit on test videos has all attacks.
REHEARSAL_ATTACKS = ("lda", "linear")


@one_run_per_output
def tune(
    features: FeaturesLike,
    labels: LabelsLike,
    output: str | Path | None = None,
    *,
    tasks: str | Sequence[str] = ("action",),
    keep: float = 0.95,
    dials: DialsLike = (),
    preset: str | None = None,
    method: str | Method | None = None,
    secrets: str | Sequence[str] = (),
    attacks: Sequence[str] = REHEARSAL_ATTACKS,
    segments: SegmentsLike | None = None,
    seed: int = 0,
    device: str = "cpu",
    engine: str | Engine = LOCAL,
    address: str | None = None,
    workers: int | None = None,
    progress: bool | OnProgress = True,
) -> Tuning:
    """The settings that hide the most among those that keep at least ``keep`` of every task, and their adapter.

    Every combination of ``dials``, as {"erasure.noise": [0.3, 1]} or ["erasure.noise=0.3,1"], is fitted on training
    videos and graded on validation videos with ``attacks``; a method names some dials itself. Test videos are never
    read: audit the result on them. Tasks are graded by all columns that the labels have; ``tasks`` are those that the
    adapter knows of, as in `fit`. With ``output``, finished trials are kept in ``output/trials`` and not done again,
    and the adapter goes to ``output/adapter``. Where this very tuning is done already, what it found is returned.

    ``engine`` "ray" does the trials side by side on ``workers`` of a Ray cluster at ``address`` (by default this
    machine), with the same results; raw features are graded, and the chosen settings fitted, here.
    """
    require_seed(seed)
    if not 0 < keep <= 1:
        raise UsageError(f"keep must be above 0 and at most 1, got {keep}.")
    names = as_names(tasks)
    plan, wanted = _plan(preset, method, dials, with_motion=MOTION in names)
    loaded = load_attacks(attacks)
    for settings in wanted:  # a wrong name or value is found before any work
        tried = load_config(preset, [*as_changes(settings), f"train.device={device}"], method=method)
        check_request(tried, names, with_labels=True, with_segments=segments is not None)
    crew = find_crew(engine, address=address, workers=workers)
    place = None if output is None else Path(output) / ADAPTER
    if output is not None:
        require_own_folder(local_path(output, name="output"))
    source = open_features(features)
    known, timed = labels_for(labels, source), as_segments(segments)
    request = None
    if output is not None:
        request = tuning_request(
            plan,
            loaded,
            tried=wanted,
            keep=keep,
            tasks=names,
            secrets=as_names(secrets),
            seed=seed,
            device=device,
            features=content_name(source),
            labels=short_checksum(known),
            segments=short_checksum(timed),
        )
        if (before := tuned_before(request, Path(output))) is not None:
            return before
    rehearsed, flags = sample_videos(rehearsal_labels(known, seed=seed), source, seed=seed)
    for flag in flags:
        notify(flag.why)
    judged = rehearsed.only(rehearsed.videos("test"))
    fit_one = partial(
        fit,
        tasks=names,
        preset=preset,
        method=method,
        segments=timed,
        seed=seed,
        device=device,
        progress=False,
    )
    with shown(progress) as on_progress:
        on_progress(Progress(STAGE, 0, len(wanted) + 1, "raw features"))
        ruler = Ruler(
            source.read(videos=rehearsed.video.tolist()),
            rehearsed,
            secrets=as_names(secrets) or all_secrets(judged),
            attacks=attacks,
            tasks=available_tasks(rehearsed, timed),
            segments=timed,
            timing=source.timing,
            seed=seed,
        )
        steps = count(1)
        on_progress(Progress(STAGE, next(steps), len(wanted) + 1, "raw features"))
        trials = run_trials(
            TrialWork(ruler, fit_one),
            wanted,
            finished=FinishedTrials(output, fingerprint(ruler, [plan.to_dict(), names, device])),
            crew=crew,
            on_done=lambda what: on_progress(Progress(STAGE, next(steps), len(wanted) + 1, what)),
        )
    chosen = choose(trials, keep=keep)
    reached = keeps_enough(trials[chosen], keep)
    if not reached:
        notify(
            f"No trial keeps {keep:.0%} of every task; the chosen one keeps the most. Try weaker values of the dials."
        )
    people = None if judged.person is None else len(set(judged.person) - {""})
    found = Tuning(plan.method.name, keep, list(attacks), len(judged.video), people, trials, chosen, reached)
    if output is not None and request is not None:
        write_whole(Path(output) / RESULT, json.dumps(found.to_dict(), indent=1) + "\n")
        write_whole(Path(output) / PAGE, render(found))
        request.keep(Path(output))
    # Last, since a finished adapter is what says that the tuning is done.
    return replace(found, adapter=fit_one(source, known, place, settings=found.settings))


def _plan(
    preset: str | None, method: str | Method | None, dials: DialsLike, *, with_motion: bool
) -> tuple[FitPlan, list[dict[str, str]]]:
    """The method, and the settings to try."""
    plan = load_config(preset, method=method)
    if plan.method.as_set:
        raise UsageError(
            f"method must treat each video by itself to be tuned on held-out ones, got {plan.method.name!r}. "
            "Audit a few settings of it instead."
        )
    return plan, settings_to_try(plan.method, dials, with_motion=with_motion)
