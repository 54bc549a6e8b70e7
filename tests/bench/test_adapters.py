"""Kept adapters: trained once, made anew when what they were made from changed."""

import json

import pytest
import torch

from latentveil.adapters.adapter import load_adapter
from latentveil.bench import adapters
from latentveil.bench.adapters import fit_or_load, made_alike, made_for, training_log
from latentveil.bench.protocols.seen_unseen import Arena
from latentveil.bench.recipe import Row

ROW = Row(
    name="Paper, small",
    preset="paper",
    changes=("adapter.init=exact", "adapter.layers=1", "adapter.heads=4", "train.epochs=3"),
    checkpoints=(1, 2),
)


@pytest.fixture
def arena(toy_with_six_actions, recipe):
    return Arena.build(toy_with_six_actions.features, toy_with_six_actions.labels, recipe, seed=0)


@pytest.fixture
def fits(monkeypatch):
    """The rows that were fitted."""
    fitted = []
    real = Arena.fit

    def spy(arena, row, **options):
        fitted.append(row.name)
        return real(arena, row, **options)

    monkeypatch.setattr(adapters.Arena, "fit", spy)
    return fitted


def kept_in(folder):
    """The folders of whole adapters."""
    return sorted(path.parent for path in folder.glob("*/config.json"))


def weights(adapter):
    return torch.cat([value.flatten() for value in adapter.state_dict().values()])


def test_a_trained_adapter_is_kept_and_not_trained_again(arena, fits, tmp_path):
    first = fit_or_load(arena, ROW, folder=tmp_path)
    second = fit_or_load(arena, ROW, folder=tmp_path)
    assert fits == ["Paper, small"]
    assert torch.equal(weights(first), weights(second))
    (kept,) = kept_in(tmp_path)
    assert kept.name == "paper-small-0"
    assert torch.equal(weights(load_adapter(kept)), weights(first))
    assert [line["epoch"] for line in training_log(tmp_path, ROW, seed=0)] == [0, 1, 2]


def test_other_settings_or_data_train_anew(arena, fits, tmp_path):
    fit_or_load(arena, ROW, folder=tmp_path)
    other = ROW.model_copy(update={"changes": (*ROW.changes, "loss.static=0.5")})
    fit_or_load(arena, other, folder=tmp_path)
    louder = arena.features.with_feature(2 * arena.features.feature)
    fit_or_load(Arena(louder, arena.labels, 0, arena.actions, {}), other, folder=tmp_path)
    assert len(fits) == 3
    assert len(kept_in(tmp_path)) == 1


def test_closed_forms_are_made_anew_since_their_code_may_have_changed(arena, fits, tmp_path):
    row = Row(name="pca", changes=("method=pca", "erasure.keep=2"))
    for _ in range(2):
        fit_or_load(arena, row, folder=tmp_path)
    assert len(fits) == 2
    assert len(kept_in(tmp_path)) == 1
    assert training_log(tmp_path, row, seed=0) == []


def test_checkpoints_are_moments_of_one_training(arena, tmp_path):
    """The row goes on from its checkpoints and ends where a training in one go ends."""
    stages = [fit_or_load(arena, row, folder=tmp_path) for row in (ROW.after(1), ROW.after(2), ROW)]
    for stage, epochs in zip(stages, (1, 2, 3)):
        alone = arena.fit(ROW.model_copy(update={"changes": (*ROW.changes, f"train.epochs={epochs}")}))
        assert torch.equal(weights(stage), weights(alone))
    assert [load_adapter(kept).config["recipe"]["row"] for kept in kept_in(tmp_path)] == [
        "Paper, small",
        "Paper, small, epoch 1",
        "Paper, small, epoch 2",
    ]
    assert not list(tmp_path.glob("training/*/checkpoint.pt"))


def test_settings_that_came_later_leave_what_is_kept_alone(arena, fits, tmp_path):
    """A new setting with its default made every kept adapter and result one of other settings."""
    fit_or_load(arena, ROW, folder=tmp_path)
    kept = tmp_path / "paper-small-0" / "config.json"
    config = json.loads(kept.read_text())
    assert config["recipe"]["settings"]["train"].pop("schedule") == "constant"
    kept.write_text(json.dumps(config))
    fit_or_load(arena, ROW, folder=tmp_path)
    assert fits == ["Paper, small"]
    falling = ROW.model_copy(update={"changes": (*ROW.changes, "train.schedule=linear"), "checkpoints": ()})
    fit_or_load(arena, falling, folder=tmp_path)
    assert fits == ["Paper, small", "Paper, small"]


def test_what_was_kept_under_a_setting_that_is_no_more_is_made_anew(arena):
    wanted = made_for(arena, ROW)
    older = {**wanted, "settings": {**wanted["settings"], "forgotten": 1}}
    assert made_alike(wanted, wanted, ROW)
    assert not made_alike(older, wanted, ROW)
    assert not made_alike({}, wanted, ROW)


def test_data_that_another_machine_encoded_are_the_same_data(arena):
    """A table that was begun on one machine could not be gone on with on another: features differ by rounding."""
    wanted = made_for(arena, ROW)
    size = float(wanted["data"]["mean_square"])

    def of_size(mean_square):
        return {**wanted, "data": {**wanted["data"], "mean_square": mean_square}}

    assert made_alike(of_size(f"{size * 1.00005:.5g}"), wanted, ROW)
    assert not made_alike(of_size(f"{size * 1.001:.5g}"), wanted, ROW)
    assert not made_alike(of_size(""), wanted, ROW)
    assert not made_alike({**wanted, "data": {**wanted["data"], "shape": [1, 2]}}, wanted, ROW)
    assert not made_alike({**wanted, "data": None}, wanted, ROW)
