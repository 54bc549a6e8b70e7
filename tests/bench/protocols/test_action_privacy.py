"""Actions against attributes, on toy features of which it is known what they show."""

from dataclasses import replace

import numpy as np
import pytest

from latentveil.bench.counted import counted
from latentveil.bench.data import BenchData
from latentveil.bench.measures.actions import ActionCut
from latentveil.bench.measures.attributes import in_frames
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.protocols.base import of_set, some_people
from latentveil.bench.recipe import Recipe
from latentveil.bench.rows import Row
from latentveil.bench.runner import run_recipe
from latentveil.errors import InputError
from latentveil.labels import Labels, Segment
from latentveil.types import FeatureSet

RAW = Row(name="raw", changes=("method=identity",))
NOISE = Row(name="only noise", changes=("method=noise", "erasure.noise=1e6"))


def make_recipe(rows=(RAW, NOISE), **options):
    return Recipe(
        title="Toy",
        protocol="action_privacy",
        secrets=(),
        kinds=("static",),
        attacks=("lda",),
        curve_attacks=("lda",),
        options={"attributes": ("gender",), "num_seen": 3, **options},
        rows=rows,
    )


@pytest.fixture(scope="module")
def strangers(toy_with_eight_people):
    """The toy's videos with two of its people in each of validation and test, so that nobody is in two splits."""
    labels = toy_with_eight_people.labels
    split = np.select([labels.person >= "06", labels.person >= "04"], ["test", "val"], "train")
    return BenchData(
        toy_with_eight_people.features, Labels(labels.video, split, labels.person, labels.columns)
    )


@pytest.fixture(scope="module")
def toy_with_eight_people():
    from tests.conftest import make_toy

    return make_toy(num_people=8, num_actions=6, repetitions=3)


@pytest.fixture(scope="module")
def scores(strangers, tmp_path_factory):
    """The scores of both rows under one seed."""
    recipe = make_recipe()
    path = tmp_path_factory.mktemp("privacy") / "results.jsonl"
    entries = run_recipe(recipe, strangers, seeds=[0], results=path)
    return {entry["name"]: PROTOCOLS.get("action_privacy").scores(entry) for entry in entries}


def test_raw_features_show_all_and_noise_shows_nothing(scores):
    for column in ("attributes, paper grader's cMAP", "attributes, best attack"):
        assert scores["raw"][column].value > 0.9
        assert scores["only noise"][column].value < 0.8
    for column in ("seen actions", "unseen actions"):
        assert scores["raw"][column].value > 0.9
        assert scores["only noise"][column].value < 0.7


def test_people_and_videos_stand_beside_every_score(scores):
    seen, best = scores["raw"]["seen actions"], scores["raw"]["attributes, best attack"]
    assert (seen.people, seen.videos) == (2, 2 * 3 * 3)
    assert (best.people, best.by, best.better) == (2, "lda", "low")


def test_recordings_are_counted_and_pairs_that_the_data_lack_are_named(strangers, tmp_path):
    """Everybody was filmed in one of two rooms, so nobody can be linked from one to the other."""
    labels = strangers.labels
    rooms = np.where(labels.person.astype(int) % 2, "odd room", "even room")
    data = BenchData(strangers.features, replace(labels, recording=rooms))
    recipe = make_recipe(rows=(RAW,), attributes=(), actions=False, linking=True)
    [entry] = run_recipe(recipe, data, seeds=[0], results=tmp_path / "results.jsonl")
    found = PROTOCOLS.get("action_privacy").scores(entry)
    for column in ("linking, any recording", "linking pooled, any recording"):
        assert (found[column].people, found[column].recordings) == (8, 2)
        assert found[column].value > 0.9
    assert entry["unmeasured"] == {
        "linking, other recording": "nobody who is tested was filmed in two recordings"
    }
    everybody = counted(data.labels, data.labels.videos("test"))
    assert everybody == {"people": 2, "videos": 36, "recordings": 2}
    assert counted(labels, labels.videos("test"))["recordings"] is None


def test_held_out_videos_of_known_people_are_kept_from_adapters(strangers):
    cut = ActionCut.draw(strangers.labels, num_seen=0, known_share=0.25, seed=0)
    assert len(cut.held_out) == 18
    assert not cut.held_out & set(cut.training_labels().video)
    found = cut.scores(strangers.features, seed=0)
    assert list(found) == ["actions, strangers", "actions, known people"]
    assert (found["actions, strangers"].people, found["actions, known people"].people) == (2, 4)


def test_too_few_actions_for_num_seen_are_refused_by_its_name(strangers):
    number = len(set(strangers.labels.column("action")) - {""})
    with pytest.raises(
        InputError, match=rf"at least {number + 1} actions, got {number}\. num_seen is {number - 1}"
    ):
        ActionCut.draw(strangers.labels, num_seen=number - 1, known_share=0.0, seed=0)


def test_adapters_never_see_unseen_actions_or_other_sets(strangers):
    arena = PROTOCOLS.get("action_privacy").build(strangers, make_recipe(), seed=0)
    known = arena.training_labels()
    assert set(known.column("action")) == set(arena.actions.seen)
    assert len(arena.actions.seen) == 3


def test_a_share_of_people_is_held_by_every_larger_share(strangers):
    few, more = (some_people(strangers.labels, share, seed=0) for share in (0.25, 0.5))
    assert len(set(few.person[few.split == "train"])) == 1
    assert set(few.video) < set(more.video) < set(strangers.labels.video)
    assert few.videos("test") == strangers.labels.videos("test")


def test_sets_can_be_joined_and_labels_without_sets_are_one():
    labels = Labels(np.array(list("abc")), np.full(3, "train"), columns={"set": np.array(["x", "y", "z"])})
    assert of_set(labels, "x+z").video.tolist() == ["a", "c"]
    bare = Labels(labels.video, labels.split)
    assert of_set(bare, "x").video.tolist() == ["a", "b", "c"]


def test_attributes_must_be_yes_or_no(strangers):
    arena = PROTOCOLS.get("action_privacy").build(strangers, make_recipe(attributes=("action",)), seed=0)
    with pytest.raises(InputError, match="attributes must be 0, 1 or blank, got 'action0'"):
        arena.measure(make_recipe(), RAW, arena.fit(RAW))


def test_what_one_recipe_has_trained_another_finds(strangers, tmp_path, monkeypatch):
    trained = Row(name="ours", preset="released", changes=("train.epochs=1", "adapter.heads=4"))
    shared = tmp_path / "adapters"
    first = make_recipe(rows=(trained,), attributes=())
    run_recipe(first, strangers, seeds=[0], results=tmp_path / "one" / "results.jsonl", shared=shared)
    assert len(list(shared.iterdir())) == 1
    arena_type = type(PROTOCOLS.get("action_privacy").build(strangers, first, seed=0))
    monkeypatch.setattr(arena_type, "fit", lambda *_, **__: pytest.fail("trained twice"))
    other = make_recipe(rows=(trained.model_copy(update={"name": "theirs"}),), attributes=())
    (entry,) = run_recipe(
        other, strangers, seeds=[0], results=tmp_path / "two" / "results.jsonl", shared=shared
    )
    assert entry["name"] == "theirs"


def test_a_release_as_a_set_is_fitted_on_all_of_it_and_nobody_holds_its_key(strangers):
    row = Row(name="transport", changes=("method=transport", "transport.groups=person"))
    arena = PROTOCOLS.get("action_privacy").build(strangers, make_recipe(rows=(row,)), seed=0)
    data = arena.training_data(row)
    assert set(data.features.video) == set(strangers.features.video)
    people = dict(zip(strangers.labels.video.tolist(), strangers.labels.person.tolist()))
    assert data.groups == {"person": people}
    assert len(arena.publish(row, arena.fit(row))) == 1
    noisy = NOISE.model_copy(update={"changes": ("method=noise", "erasure.noise=1")})
    assert len(arena.publish(noisy, arena.fit(noisy))) > 1


def test_a_still_has_what_holds_at_its_time_where_events_say_so():
    stills = FeatureSet.from_arrays({"a": np.zeros((3, 2)), "b": np.zeros((1, 2))}, kind="static")
    stills = replace(stills, time=np.array([0.0, 1.0, 5.0, np.nan]))
    values = np.array([["1", "0"]] * 3 + [["0", "1"]])
    events = {
        "a": [Segment(0.0, 1.0, "hat=0"), Segment(1.0, 2.0, "hat=1"), Segment(0.0, 9.0, "hats=7")],
        "b": [Segment(0.0, 1.0, "hat=1")],
    }
    found = in_frames(values, stills, ["hat", "coat"], events)
    assert found[:, 0].tolist() == ["0", "1", "", "0"], "after the last event nothing is known; b has no time"
    assert found[:, 1].tolist() == ["0", "0", "0", "1"]


def test_graders_learn_from_one_set_and_are_read_on_another(strangers, tmp_path):
    """Half of the test people are a set of their own, whose labels are turned round: only they are graded on."""
    labels = strangers.labels
    people = sorted(set(labels.person[labels.split == "test"]))
    other = labels.person == people[0]
    gender = labels.columns["secret_gender"]
    columns = {
        **labels.columns,
        "secret_gender": np.where(other, np.where(gender == "1", "0", "1"), gender),
        "set": np.where(other, "turned", "usual"),
    }
    data = BenchData(strangers.features, replace(labels, columns=columns))
    found = {}
    for tested in ("turned", "usual"):
        recipe = make_recipe((RAW,), tested_set=tested)
        (entry,) = run_recipe(recipe, data, seeds=[0], results=tmp_path / tested / "results.jsonl")
        found[tested] = PROTOCOLS.get("action_privacy").scores(entry)["attributes, paper grader's cMAP"]
    assert found["turned"].videos == int(other.sum())
    assert found["usual"].videos == int((labels.split == "test").sum() - other.sum())


def test_novel_actions_and_attributes_have_columns_of_their_own(strangers, tmp_path):
    labels = strangers.labels
    novel = np.isin(labels.column("action"), sorted(set(labels.column("action")))[:2])
    columns = {**labels.columns, "set": np.where(novel, "novel", "known")}
    data = BenchData(strangers.features, replace(labels, columns=columns))
    recipe = make_recipe(
        (RAW,), num_seen=0, action_set="known", novel_action_set="novel", novel_attributes=("gender",)
    )
    arena = PROTOCOLS.get("action_privacy").build(data, recipe, seed=0)
    assert not set(arena.training_labels().video) & set(labels.video[novel])
    (entry,) = run_recipe(recipe, data, seeds=[0], results=tmp_path / "results.jsonl")
    scores = PROTOCOLS.get("action_privacy").scores(entry)
    assert scores["novel actions"].chance == pytest.approx(1 / 2)
    assert scores["novel attributes, best attack"] == scores["attributes, best attack"]
