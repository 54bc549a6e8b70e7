"""The verb `fit`: an adapter by any method, for any tasks, saved as a folder with its settings and training log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from latentveil.adapters.adapter import Adapter
from latentveil.adapters.saved import TRAINING_FOLDER, saved_before
from latentveil.arguments import argument
from latentveil.config import as_changes
from latentveil.errors import InputError, UsageError
from latentveil.extraction.live_features import LiveFeatures, VideoSource
from latentveil.files.place_files import local_folder
from latentveil.files.places import PlaceLike, RemotePath, as_place
from latentveil.files.run_folder import CHECKPOINT
from latentveil.labels import Labels, LabelsLike, SegmentsLike, as_segments
from latentveil.machine.processes import is_first_process
from latentveil.methods.base import Method
from latentveil.methods.material import build_training_data, require_training_videos, set_data
from latentveil.methods.plan import FitPlan
from latentveil.methods.request import check_request, fit_request, plan_for, task_names
from latentveil.notices import notify
from latentveil.progress import OnProgress, shown
from latentveil.store import FeatureStore
from latentveil.store.labelled import labels_for
from latentveil.store.one_run import one_run_per_output
from latentveil.store.sample import Sample, bytes_to_read, draw_videos
from latentveil.store.sources import Features, FeaturesLike, open_features
from latentveil.tasks.build import MOTION
from latentveil.types import concatenate

# Of a larger store a fit reads a sample. Moments and cluster centres of some thousand numbers no longer change with
# more features than this, of which a closed form takes some ten times as much memory.
MOST_BYTES = 200 << 20
# A training holds them twice, beside what its batches take (some 2 GB where 512 videos have ten clips each).
MOST_BYTES_TRAINED = 400 << 20


@one_run_per_output
def fit(
    features: FeaturesLike,
    labels: LabelsLike | None = None,
    output: PlaceLike | None = None,
    *,
    tasks: str | Sequence[str] | None = None,
    preset: str | None = None,
    method: str | Method | None = None,
    settings: Mapping[str, Any] | Sequence[str] = (),
    segments: SegmentsLike | None = None,
    groups: str | None = None,
    release: bool = False,
    videos: VideoSource | str | Path | None = None,
    read_gb: float | None = None,
    seed: int | None = None,
    device: str = "cpu",
    progress: bool | OnProgress = True,
) -> Adapter:
    """An adapter that hides who is in the videos and keeps what ``tasks`` need, fitted on the training videos.

    ``tasks`` are what the features must stay good for, action by default. ``motion`` among them stands for tasks that
    nobody has named; it takes no labels, and where it stands alone and ``labels`` are not given, all videos are for
    training. ``preset`` is veil (ours, the default), paper or released; ``method`` is one of its own instead, by name,
    as ``package.module:object`` or as an object; ``settings`` change single values, as
    {"erasure.noise": 0.7} or ["erasure.noise=0.7"]. With ``videos`` the training clips are read from the files and
    encoded in new views each epoch, and ``features`` give the validation features. Of a store with more than
    ``read_gb`` gigabytes of features (0.4 for a method that trains, 0.2 for a closed form) a sample of videos is read,
    drawn by ``seed``, and a notice and the adapter's record say so; `transport` reads all, shard by shard.

    ``groups`` says which videos belong together: a column of the labels such as person or recording, several with
    commas between them, "stills" for clusters of looks, or "video" for each by itself. ``release`` says that
    ``features`` are what will be released: a method that treats them as a set is fitted on all of them, takes labels
    only where ``groups`` names columns, and serves tasks that nobody has named: leave out ``tasks``. With either,
    `veil` is `transport`, such a method. The ``seed`` is 0 unless given; without one, the draws of `transport` are
    secret: they come from the randomness of the system.

    With ``output`` the adapter is saved there, the log of every loss term in ``output/training``, and a run that was
    killed goes on from its last checkpoint. Under `torchrun` the training is shared, and the first process writes.
    Behind a URL the adapter appears when it is done, and checkpoints are not kept.

    A store that an adapter made gives an adapter that goes behind that one, such as a codebook behind a release.
    """
    names = task_names(tasks, release=release)
    plan = plan_for(
        preset, method, as_changes(settings), groups=groups, release=release, seed=seed, device=device
    )
    check_request(
        plan,
        names,
        with_labels=labels is not None,
        with_segments=segments is not None,
        live=videos is not None,
        read_gb=read_gb,
    )
    source = open_features(features)
    behind = _adapters_passed(source, live=videos is not None)
    known = _all_for_training(source) if labels is None else labels_for(labels, source)
    timed = as_segments(segments)
    place, request = None if output is None else as_place(output), None
    if place is not None:
        request = fit_request(
            plan,
            names,
            source,
            labels=None if labels is None else known,
            segments=timed,
            release=release,
            read_gb=read_gb,
            videos=None if videos is None else str(videos),
        )
        if (before := saved_before(Adapter, request, place)) is not None:
            return before
    if isinstance(place, RemotePath):
        with local_folder(place, upload=True) as here:
            return fit(
                source, labels, here, tasks=tasks, preset=preset, method=method, settings=settings,
                segments=timed, videos=videos, groups=groups, release=release, read_gb=read_gb, seed=seed,
                device=device, progress=progress,
            )  # fmt: skip
    sample = _sample(source, known, plan, read_gb=read_gb)
    known = known if sample is None else known.only(sample.names)
    build = partial(
        build_training_data,
        labels=known,
        plan=plan,
        tasks=names,
        segments=timed,
        timing=source.timing,
    )
    if plan.method.as_set:
        videos_of_set = None if release else require_training_videos(known)
        data = set_data(source, None if labels is None else known, plan, videos=videos_of_set)
    else:
        data = build(source.read(videos=[*require_training_videos(known), *known.videos("val")]))
    with shown(progress) as on_progress:
        if videos is not None:
            live = _live_features(videos, source, known, plan, on_progress=on_progress)
            chosen_on = source.read(videos=known.videos("val"))
            data = replace(data, fresh=lambda epoch: build(concatenate([live.features(epoch), chosen_on])))
        folder = None if place is None else place / TRAINING_FOLDER
        adapter = plan.fit(data, folder=folder, on_progress=on_progress)
    adapter.config["encoder"] = None if source.encoder is None else asdict(source.encoder)
    adapter.config["behind"] = behind
    trained_on = "store" if videos is None else "videos"
    adapter.config["recipe"] = {**plan.to_dict(), "tasks": names, "trained_on": trained_on}
    if sample is not None:
        adapter.config["recipe"]["sampled"] = sample.to_dict()
    if plan.method.keeps_motion and plan.method.name != MOTION and not data.motion:
        told = f"Good for {', '.join(names)}; other tasks may be lost. To keep them, too, and hide less: "
        notify(f"{told}{argument('tasks', [*names, MOTION])}")
    if place is not None and is_first_process():
        adapter.save(place, request=request)
        (place / TRAINING_FOLDER / CHECKPOINT).unlink(missing_ok=True)
    return adapter


def _adapters_passed(source: Features, *, live: bool) -> list[str]:
    """The checksums of the adapters that made the features, told in a notice; none of raw ones."""
    if source.derived_from is None:
        return []
    *_, last = source.derived_from.passed
    if live:
        raise InputError(
            f"{source.name} must hold raw features where videos are encoded anew, got ones that {last.adapter!r} "
            "made. Leave the videos out."
        )
    notify(
        f"{source.name} holds features that the adapter {last.adapter!r} made: this one goes behind it. Apply it to "
        "this store, and audit against the raw one."
    )
    return [one.adapter_sha256 for one in source.derived_from.passed]


def _sample(source: Features, labels: Labels, plan: FitPlan, *, read_gb: float | None) -> Sample | None:
    """Which of the training and validation videos are read, told in a notice; None for all of them."""
    if plan.method.as_set:
        return None
    most = bytes_to_read(read_gb, MOST_BYTES_TRAINED if plan.method.trained else MOST_BYTES)
    videos = [*labels.videos("train"), *labels.videos("val")]
    sample = draw_videos(source, videos, most_bytes=most, seed=plan.settings.train.seed)
    if sample is not None:
        if read_gb is not None:
            why = f"which is all that read_gb={read_gb:g} admits"
        elif plan.method.trained:
            why = f"give {argument('read_gb')} to read more"
        else:
            why = "which is what a closed form can use"
        notify(f"Fitted on {sample}, {why}.")
    return sample


def _live_features(
    videos: VideoSource | str | Path,
    source: Features,
    labels: Labels,
    plan: FitPlan,
    *,
    on_progress: OnProgress,
) -> LiveFeatures:
    """The training videos, to be encoded anew each epoch as the store's features were."""
    if not isinstance(source, FeatureStore):
        raise UsageError(
            "features must be a store to train from its videos, got features in memory. Extract the videos first."
        )
    places = videos if isinstance(videos, VideoSource) else VideoSource([videos])
    run = plan.settings.train
    return LiveFeatures(
        places,
        labels.videos("train"),
        manifest=source.manifest,
        seed=run.seed,
        device=run.device,
        on_progress=on_progress,
    )


def _all_for_training(features: Features) -> Labels:
    """Labels that say no more than that every video is for training, which is enough for motion."""
    videos = np.array(features.videos)
    return Labels(video=videos, split=np.full(len(videos), "train"))
