"""A pixel anonymizer by any pixel method, saved as a folder with its settings and training log."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from latentveil.adapters.saved import CONFIG_FILE, TRAINING_FOLDER, saved_before
from latentveil.checksums import short_checksum
from latentveil.config import USUAL_TASK, Settings, as_changes, change_settings
from latentveil.errors import InputError, UsageError
from latentveil.extraction.inputs import collect_videos
from latentveil.files.requests import Request
from latentveil.files.run_folder import CHECKPOINT
from latentveil.foreign_code import code_of
from latentveil.labels import LabelsLike, as_labels
from latentveil.machine.devices import require_device
from latentveil.names import as_names, did_you_mean
from latentveil.pixels.anonymizer import PixelAnonymizer
from latentveil.pixels.base import PIXEL_METHODS, PixelMethod, TrainingVideos
from latentveil.progress import OnProgress, shown
from latentveil.store.manifest import MANIFEST_NAME
from latentveil.store.one_run import one_run_per_output

Videos = str | Path | Sequence[str | Path]


@one_run_per_output
def fit_pixels(
    videos: Videos,
    labels: LabelsLike | None = None,
    output: str | Path | None = None,
    *,
    method: str | PixelMethod,
    preset: str | None = None,
    tasks: str | Sequence[str] | None = None,
    settings: Mapping[str, Any] | Sequence[str] = (),
    seed: int = 0,
    device: str = "cpu",
    progress: bool | OnProgress = True,
) -> PixelAnonymizer:
    """A pixel anonymizer that hides who is in the videos and keeps what ``tasks`` need, action by default.

    ``videos`` are files, folders or lists, as for extraction; ``labels`` name them by the same keys. Without labels
    every video is for training. ``preset`` is one of the method's own. With ``output`` the anonymizer is saved there,
    and a run that was killed goes on from its last checkpoint.
    """
    found = PIXEL_METHODS.get(method)
    names = tuple(as_names(USUAL_TASK if tasks is None else tasks))
    fixed = [f"train.seed={seed}", f"train.device={device}"]
    chosen = choose_settings(found, preset, [*fixed, *as_changes(settings)])
    require_device(chosen.train.device)
    data = training_videos(videos, labels, tasks=names, secrets=found.oracle)
    request = Request(
        "a pixel anonymizer",
        CONFIG_FILE,
        {
            **_recipe(found, chosen, tasks=names),
            "code": short_checksum(code_of(found.fit.__module__)),
            "videos": short_checksum(data.fingerprint()),
        },
    )
    before = None if output is None else saved_before(PixelAnonymizer, request, Path(output))
    if before is not None:
        return before
    with shown(progress) as on_progress:
        folder = None if output is None else Path(output) / TRAINING_FOLDER
        anonymizer = found.make(data, chosen, folder=folder, on_progress=on_progress)
    record_recipe(anonymizer, found, chosen, tasks=names if found.learned else ())
    if output is not None:
        anonymizer.save(output, request=request)
        (Path(output) / TRAINING_FOLDER / CHECKPOINT).unlink(missing_ok=True)
    return anonymizer


def make_unlearned(
    method: str | PixelMethod, preset: str | None = None, settings: Mapping[str, Any] | Sequence[str] = ()
) -> PixelAnonymizer:
    """The pixel anonymizer of a method that learns nothing, and so needs no videos."""
    found = PIXEL_METHODS.get(method)
    if found.learned:
        raise UsageError(
            f"anonymizer must be fitted on videos first for the method {found.name!r}, got its name. "
            f"Run `veil fit VIDEOS --method {found.name} -o ANONYMIZER`, and give that folder."
        )
    chosen = choose_settings(found, preset, as_changes(settings))
    anonymizer = found.make(TrainingVideos(()), chosen)
    record_recipe(anonymizer, found, chosen)
    return anonymizer


def choose_settings(method: PixelMethod, preset: str | None, changes: Sequence[str]) -> Settings:
    """The method's settings with those of a preset, and with single values changed."""
    if preset is not None and preset not in method.presets:
        known = ", ".join(method.presets) or "none"
        near = did_you_mean(preset, method.presets)
        raise UsageError(f"preset must be one of the method {method.name} ({known}), got {preset!r}.{near}")
    values = method.presets[preset] if preset is not None else ()
    chosen = without_options_of_others([*values, *changes])
    return change_settings(method.Settings(), chosen, owner=f"the method {method.name}")


def without_options_of_others(changes: Sequence[str]) -> list[str]:
    """The changes without options of a network that a later change replaces."""
    kept: list[str] = []
    for change in changes:
        section, architecture, _ = change.partition(".architecture=")
        if architecture:
            kept = [earlier for earlier in kept if not earlier.startswith(f"{section}.options.")]
        kept.append(change)
    return kept


def record_recipe(
    anonymizer: PixelAnonymizer, method: PixelMethod, settings: Settings, *, tasks: Sequence[str] = ()
) -> None:
    """Write down how the anonymizer was made, for its config.json."""
    anonymizer.config["recipe"] = _recipe(method, settings, tasks=tasks)


def _recipe(method: PixelMethod, settings: Settings, *, tasks: Sequence[str]) -> dict[str, Any]:
    return {"method": method.name, "settings": settings.model_dump(mode="json"), "tasks": list(tasks)}


def training_videos(
    videos: Videos, labels: LabelsLike | None, *, tasks: Sequence[str], secrets: bool = False
) -> TrainingVideos:
    """The files of the training and the validation videos; nothing of a test video is handed on."""
    found = collect_videos(as_places(videos))
    if labels is None:
        return TrainingVideos(tuple(found), tasks=tuple(tasks))
    known = as_labels(labels).only([one.video for one in found])
    train, val = set(known.videos("train")), set(known.videos("val"))
    if not train:
        raise InputError(
            f"labels must name training videos among the files, such as {found[0].video!r}, got none. "
            "Write the keys of the files in the column video, and train in the column split."
        )
    told = known if secrets else replace(known.without_secrets(), person=None)
    return TrainingVideos(
        train=tuple(one for one in found if one.video in train),
        val=tuple(one for one in found if one.video in val),
        labels=told.only([*train, *val]),
        tasks=tuple(tasks),
    )


def as_places(videos: Videos) -> list[str | Path]:
    """Where the videos are; features in their place are refused."""
    places = [videos] if isinstance(videos, str | Path) else videos
    if not isinstance(places, Sequence) or not all(isinstance(place, str | Path) for place in places):
        raise UsageError(
            f"videos must be files, folders or lists for a pixel method, got {type(videos).__name__}. "
            "Clips in memory go through the anonymizer itself: anonymizer(clips)."
        )
    for place in places:
        if (Path(place) / MANIFEST_NAME).is_file():
            raise InputError(
                f"videos must be video files, got the feature store {place}. Give what it was made of."
            )
    return list(places)
