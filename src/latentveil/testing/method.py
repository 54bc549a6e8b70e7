"""The contract of a method: a sound adapter that follows from the data, the settings and the seed alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np
import torch

from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.adapters.anonymize import anonymize
from latentveil.config import change_settings
from latentveil.errors import InputError, PluginError
from latentveil.methods.base import METHODS, Method, TrainingData
from latentveil.methods.material import build_training_data
from latentveil.methods.plan import FitPlan, load_config
from latentveil.progress import Progress
from latentveil.tasks.build import MOTION
from latentveil.testing.contract import ContractBroken, require, require_facts
from latentveil.testing.videos import Videos, make_videos


def check_method(method: str | Method, *, changes: Sequence[str] = ()) -> None:
    """Raise ``ContractBroken`` where the method (a name, ``package.module:object`` or the object) breaks a promise.

    Everything is tried on 32 small videos made on the spot. ``changes`` are settings that make a slow method fast.
    """
    plan = load_config(changes=changes, method=METHODS.get(method))
    videos = make_videos()
    _carries_its_facts(plan)
    _refuses_unknown_settings(plan)
    adapter = _fit(plan, videos)
    _gives_a_sound_adapter(plan, adapter, videos)
    _follows_from_seed_and_data_alone(plan, adapter, videos)
    _survives_being_saved(plan, adapter, videos)
    _reads_secrets_as_an_oracle_only(plan, videos)
    if plan.method.keeps_motion:
        _gives_a_sound_adapter(plan, _fit(plan, videos, tasks=(MOTION,)), videos)
    if plan.method.trained:
        _logs_and_tells_its_epochs(plan, videos)


def _data(plan: FitPlan, videos: Videos, tasks: Sequence[str] = ("action",)) -> TrainingData:
    return build_training_data(videos.features, videos.labels, plan, tasks=tasks, segments=videos.segments)


def _fit(plan: FitPlan, videos: Videos, tasks: Sequence[str] = ("action",)) -> Adapter:
    data = _data(plan, videos, tasks)
    try:
        return plan.fit(data)
    except PluginError as refused:
        raise ContractBroken(str(refused)) from refused


def _carries_its_facts(plan: FitPlan) -> None:
    require_facts(plan.method, "method")
    written = plan.settings.model_dump_json()
    require(
        type(plan.settings).model_validate_json(written) == plan.settings,
        f"settings of the method {plan.method.name!r} must survive being written as JSON, got {written}.",
    )


def _refuses_unknown_settings(plan: FitPlan) -> None:
    try:
        change_settings(plan.settings, ["no_such_setting=1"], owner="it")
        type(plan.settings).model_validate({"no_such_setting": 1})
    except ValueError:
        return
    raise ContractBroken(
        f"settings of the method {plan.method.name!r} must refuse unknown names, got one in."
    )


def _gives_a_sound_adapter(plan: FitPlan, adapter: Adapter, videos: Videos) -> None:
    name = f"adapter of the method {plan.method.name!r}"
    require(adapter.dim == videos.features.dim, f"{name} must be of the features' size, got {adapter.dim}.")
    require(not adapter.training, f"{name} must be in evaluation mode, got training mode.")
    require(adapter.noise_factor.device.type == "cpu", f"{name} must come back to the CPU.")
    for dtype in (torch.float32, torch.float64):
        clips = torch.zeros(2, 3, adapter.dim, dtype=dtype)
        with torch.inference_mode():
            given = adapter(clips)
        require(given.shape == clips.shape and given.dtype == dtype, f"{name} must keep shape and precision.")
    feature = anonymize(adapter, videos.features, seed=0).feature
    require(np.isfinite(feature).all(), f"{name} must give finite numbers, got NaN or infinity.")


def _follows_from_seed_and_data_alone(plan: FitPlan, adapter: Adapter, videos: Videos) -> None:
    """Neither what was drawn before, nor test videos, nor, for others than oracles, secrets may change the result."""
    before = videos.features.feature.copy()
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(12345)
        again = _fit(plan, videos)
    _require_same(plan, adapter, again, "follow from the seed alone")
    require(
        np.array_equal(before, videos.features.feature),
        f"method {plan.method.name!r} must leave the features as they are.",
    )
    _require_same(plan, adapter, _fit(plan, videos.with_other("test")), "not depend on test videos")


def _require_same(plan: FitPlan, one: Adapter, two: Adapter, promise: str) -> None:
    first, second = one.state_dict(), two.state_dict()
    same = first.keys() == second.keys() and all(torch.equal(first[name], second[name]) for name in first)
    require(same, f"adapter of the method {plan.method.name!r} must {promise}, got another one.")


def _survives_being_saved(plan: FitPlan, adapter: Adapter, videos: Videos) -> None:
    with TemporaryDirectory() as folder:
        adapter.save_pretrained(folder)
        loaded = load_adapter(folder)
    one, two = (anonymize(found, videos.features, seed=1).feature for found in (adapter, loaded))
    require(
        np.array_equal(one, two),
        f"adapter of the method {plan.method.name!r} must do the same when saved and loaded.",
    )


def _reads_secrets_as_an_oracle_only(plan: FitPlan, videos: Videos) -> None:
    if not plan.method.oracle:
        return  # it was fitted without any above
    try:
        plan.fit(replace(_data(plan, videos), labels=None))
    except InputError:
        return
    raise ContractBroken(f"oracle {plan.method.name!r} must refuse data without labels, got an adapter.")


def _logs_and_tells_its_epochs(plan: FitPlan, videos: Videos) -> None:
    told: list[Progress] = []
    with TemporaryDirectory() as folder:
        plan.fit(_data(plan, videos), folder=Path(folder), on_progress=told.append)
        logged = (Path(folder) / "log.jsonl").is_file()
    require(logged, f"trained method {plan.method.name!r} must keep log.jsonl in its folder, got none.")
    finished = bool(told) and told[-1].done == told[-1].total
    require(finished, f"trained method {plan.method.name!r} must tell its progress to the end, got {told}.")
