"""The contract of a pixel method: an anonymizer that rewrites any clip, and follows from videos, settings and seed."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

import torch

from latentveil.adapters.saved import WEIGHTS_FILE
from latentveil.config import Settings, change_settings
from latentveil.labels import Labels
from latentveil.pixels.anonymizer import PixelAnonymizer, as_clip
from latentveil.pixels.base import PIXEL_METHODS, PixelMethod
from latentveil.pixels.fit import choose_settings, training_videos
from latentveil.progress import Progress, silent
from latentveil.testing.contract import ContractBroken, require, require_facts
from latentveil.testing.scraps import make_clip, write_scraps

SHAPES = ((2, 8, 3, 48, 64), (1, 3, 3, 50, 38), (1, 1, 3, 32, 32))


def check_pixel_method(method: str | PixelMethod, *, changes: Sequence[str] = ()) -> None:
    """Raise ``ContractBroken`` where the pixel method (a name or the object) breaks a promise.

    Everything is tried on eight small videos made on the spot. ``changes`` are settings that make a slow method fast.
    """
    found = PIXEL_METHODS.get(method)
    require_facts(found, "pixel method")
    for preset in found.presets:
        choose_settings(found, preset, changes)
    settings = choose_settings(found, None, changes)
    _refuses_unknown_settings(found, settings)
    with TemporaryDirectory() as folder:
        labels = write_scraps(Path(folder))
        anonymizer = _fit(found, settings, Path(folder), labels)
        _keeps_shape_and_range(found, anonymizer)
        _follows_from_the_seed_alone(found, anonymizer, settings, Path(folder), labels)
    _survives_being_saved(found, anonymizer)


def _fit(method: PixelMethod, settings: Settings, folder: Path, labels: Labels) -> PixelAnonymizer:
    told: list[Progress] = []
    with TemporaryDirectory() as kept:
        data = training_videos(folder, labels, tasks=("action",), secrets=method.oracle)
        found = method.fit(
            data, settings, folder=Path(kept), on_progress=told.append if method.learned else silent
        )
        logged = (Path(kept) / "log.jsonl").is_file()
    name = f"pixel method {method.name!r}"
    require(isinstance(found, PixelAnonymizer), f"{name} must give a PixelAnonymizer, got {type(found)}.")
    require(not found.training, f"anonymizer of the {name} must be in evaluation mode, got training mode.")
    if method.learned:
        require(logged, f"{name}, which learns, must keep log.jsonl in its folder, got none.")
        require(told and told[-1].done == told[-1].total, f"{name} must tell its progress to the end.")
    return found


def _refuses_unknown_settings(method: PixelMethod, settings: Settings) -> None:
    written = settings.model_dump_json()
    require(
        type(settings).model_validate_json(written) == settings,
        f"settings of the pixel method {method.name!r} must survive being written as JSON, got {written}.",
    )
    try:
        change_settings(settings, ["no_such_setting=1"], owner="it")
    except ValueError:
        return
    raise ContractBroken(
        f"settings of the pixel method {method.name!r} must refuse unknown names, got one in."
    )


def _keeps_shape_and_range(method: PixelMethod, anonymizer: PixelAnonymizer) -> None:
    name = f"anonymizer of the pixel method {method.name!r}"
    generator = torch.Generator().manual_seed(0)
    for shape in SHAPES:
        clips = torch.rand(shape, generator=generator)
        before = clips.clone()
        with torch.inference_mode():
            given = anonymizer(clips)
        require(given.shape == clips.shape and given.dtype == clips.dtype, f"{name} must keep {shape}.")
        inside = bool(((given >= 0) & (given <= 1)).all())  # false for NaN, too
        require(inside, f"{name} must give numbers in [0, 1], got others for {shape}.")
        require(torch.equal(before, clips), f"{name} must leave its input as it is, got it changed.")


def _follows_from_the_seed_alone(
    method: PixelMethod, anonymizer: PixelAnonymizer, settings: Settings, folder: Path, labels: Labels
) -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(12345)
        again = _fit(method, settings, folder, labels)
    first, second = anonymizer.state_dict(), again.state_dict()
    same = first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    require(same, f"pixel method {method.name!r} must follow from the seed alone, got another anonymizer.")


def _survives_being_saved(method: PixelMethod, anonymizer: PixelAnonymizer) -> None:
    clip = as_clip(make_clip(num_frames=8))[None]
    with TemporaryDirectory() as folder:
        anonymizer.save(folder)
        loaded = PixelAnonymizer.from_pretrained(folder)
        loaded.save(Path(folder) / "again")
        kept = [(place / WEIGHTS_FILE).read_bytes() for place in (Path(folder), Path(folder) / "again")]
    name = f"anonymizer of the pixel method {method.name!r}"
    with torch.inference_mode():
        same = torch.equal(anonymizer(clip), loaded(clip))
    require(same, f"{name} must do the same when saved and loaded.")
    require(kept[0] == kept[1], f"{name} must be saved byte for byte as it was loaded, got other weights.")
