"""The protocol: a method is shown training videos of seen actions, and nothing else."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.adapters.adapter import Adapter
from latentveil.bench.protocols import seen_unseen
from latentveil.bench.protocols.seen_unseen import Arena, measure_row, wanted_readings
from latentveil.bench.recipe import Row
from latentveil.errors import InputError
from latentveil.methods.plan import FitPlan


@pytest.fixture
def arena(toy_with_six_actions, recipe):
    return Arena.build(toy_with_six_actions.features, toy_with_six_actions.labels, recipe, seed=0)


def test_seeds_draw_other_seen_actions(toy_with_six_actions, recipe):
    toy = toy_with_six_actions
    drawn = {Arena.build(toy.features, toy.labels, recipe, seed=seed).actions.seen for seed in range(5)}
    assert len(drawn) > 1
    assert all(len(set(seen)) == recipe.num_seen for seen in drawn)


def test_unseen_actions_must_be_left(toy_with_six_actions, recipe):
    toy = toy_with_six_actions
    with pytest.raises(InputError, match=r"at least 7 actions, got 6\. num_seen is 5, .* smaller num_seen"):
        Arena.build(toy.features, toy.labels, recipe.model_copy(update={"num_seen": 5}), seed=0)


def test_a_blank_is_no_action(toy_with_six_actions, recipe):
    toy = toy_with_six_actions
    actions = toy.labels.column("action")
    columns = {**toy.labels.columns, "action": np.where(actions == np.unique(actions)[0], "", actions)}
    labels = replace(toy.labels, columns=columns)
    for seed in range(5):
        cut = Arena.build(toy.features, labels, recipe, seed=seed).actions
        both = [cut.labels_of(seen=which).column("action") for which in (True, False)]
        assert set(np.concatenate(both)) == set(actions) - {np.unique(actions)[0]}


@pytest.mark.parametrize("method", ["splavu", "leace"])
def test_videos_of_unseen_actions_and_test_videos_never_reach_a_method(arena, monkeypatch, method):
    shown = {}

    def spy(_, data, *, folder):
        shown["features"] = set(data.features.videos)
        shown["task"] = set(data.tasks["action"].videos.features.videos)
        shown["labels"] = set() if data.labels is None else set(data.labels.video.tolist())
        return Adapter(dim=data.features.dim, architecture="affine")

    monkeypatch.setattr(FitPlan, "fit", spy)
    arena.fit(Row(name="spied", changes=(f"method={method}",)))
    labels = arena.labels
    seen = np.isin(labels.column("action"), arena.actions.seen)
    train = set(labels.video[seen & (labels.split == "train")].tolist())
    chosen_on = set(labels.video[seen & (labels.split == "val")].tolist())
    assert shown["features"] == train
    assert shown["task"] == train | chosen_on
    assert shown["labels"] == (train if method == "leace" else set())


def test_every_video_is_either_seen_or_unseen(arena):
    seen, unseen = (set(arena.actions.labels_of(seen=which).video.tolist()) for which in (True, False))
    assert not seen & unseen
    assert seen | unseen == set(arena.labels.video.tolist())


def test_attacks_get_redrawn_copies_of_a_noisy_adapter_and_none_of_a_silent_one(arena, recipe, monkeypatch):
    given = []
    real = seen_unseen.attack_secret

    def spy(features, raw, *arguments, redrawn=(), **options):
        if features is not raw:
            given.append([features, *redrawn])
        return real(features, raw, *arguments, redrawn=redrawn, **options)

    monkeypatch.setattr(seen_unseen, "attack_secret", spy)
    for row in (Row(name="noise", changes=("method=noise",)), Row(name="raw", changes=("method=identity",))):
        measure_row(arena, recipe, row, arena.fit(row))
    noisy, silent = given
    assert len(noisy) > 2
    assert len({copy.feature.tobytes() for copy in noisy}) == len(noisy)
    assert len(silent) == 1


def test_rows_that_are_points_only_are_graded_on_the_first_secret(recipe):
    wide = recipe.model_copy(update={"secrets": ("identity", "gender"), "kinds": ("temporal", "static")})
    full, point = wide.rows[0], wide.rows[1]
    assert len(wanted_readings(wide, full)[0]) == 4
    assert wanted_readings(wide, point) == ([("identity", "temporal")], ("lda",))
    both_kinds = [("identity", "temporal"), ("identity", "static")]
    assert wanted_readings(wide, full.after(1)) == (both_kinds, wide.attacks)


def test_a_control_moves_every_feature_as_far_in_another_direction(arena):
    row = Row(name="veil")
    adapter = arena.fit(row)
    safe = arena.safe_features(row, adapter)
    (control,) = arena.publish(row.model_copy(update={"scattered": True}), adapter)
    raw = arena.features
    moved, scattered = safe.feature - raw.feature, control.feature - raw.feature
    lengths = np.linalg.norm(moved, axis=1)
    np.testing.assert_allclose(np.linalg.norm(scattered, axis=1), lengths, rtol=1e-3)
    cosine = (moved * scattered).sum(axis=1) / np.maximum(lengths**2, 1e-12)
    assert abs(cosine.mean()) < 0.1
    assert control.video.tolist() == raw.video.tolist()
    assert "scattered" in Row(name="veil", scattered=True).key
