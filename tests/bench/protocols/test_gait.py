"""Gait: the nearest gallery walk, by condition and view, on features where it is known who can be found."""

import numpy as np
import pytest

from latentveil.bench.data import BenchData
from latentveil.bench.protocols.gait import protocol, retrieval_scores, role_column
from latentveil.bench.recipe import Recipe
from latentveil.bench.rows import Row
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.types import FeatureSet

PEOPLE, VIEWS = 6, ("036", "090")
WALKS = [("nm", number) for number in range(1, 7)] + [("cl", 1), ("cl", 2)]


def make_walks(*, person_gain: float = 1.0, view_gain: float = 0.0, seed: int = 0):
    """Features (24,) of walks: a part of the person, which a coat hides, a part of the view, and noise."""
    random = np.random.default_rng(seed)
    of_person, of_view = random.normal(size=(PEOPLE, 24)), random.normal(size=(len(VIEWS), 24))
    rows, labels = {}, []
    for person in range(PEOPLE):
        for condition, number in WALKS:
            for place, view in enumerate(VIEWS):
                name = f"{person}-{condition}-{number:02d}-{view}"
                gain = person_gain if condition == "nm" else 0.0
                feature = gain * of_person[person] + view_gain * of_view[place] + 0.2 * random.normal(size=24)
                rows[name] = np.stack([feature, feature]).astype(np.float32)
                role = "gallery" if condition == "nm" and number <= 4 else "probe"
                labels.append(
                    (name, "train" if role == "gallery" else "test", str(person), role, condition, view)
                )
    video, split, person, role, condition, view = (np.array(column) for column in zip(*labels))
    columns = {"role": role, "condition": condition, "view": view}
    return FeatureSet.from_arrays(rows), Labels(video, split, person, columns)


def test_a_gait_is_found_in_usual_clothes_and_not_in_a_coat_that_hides_it():
    scores = retrieval_scores(*make_walks(), seed=0)
    assert list(scores) == ["nm", "nm, other view", "cl", "cl, other view"]
    assert scores["nm"].value == scores["nm, other view"].value == 1.0
    assert scores["cl"].value < 0.5
    assert scores["nm"].chance == pytest.approx(1 / PEOPLE)
    assert (scores["nm"].people, scores["nm"].videos) == (PEOPLE, PEOPLE * 2 * len(VIEWS))


def test_the_same_view_is_left_out_where_it_is_excluded():
    """A person who looks different from each side is found from the same side alone."""
    features, labels = make_walks(person_gain=0.0)
    random = np.random.default_rng(1)
    of_pair = {name: random.normal(size=24) for name in sorted({(v[0], v[-3:]) for v in features.video})}
    feature = np.stack([of_pair[v[0], v[-3:]] for v in features.video]).astype(np.float32)
    scores = retrieval_scores(features.with_feature(feature), labels, seed=0)
    assert scores["nm"].value == 1.0
    assert scores["nm, other view"].value < 0.5


def test_walks_without_roles_are_refused():
    labels = Labels(np.array(["a"]), np.array(["train"]))
    with pytest.raises(InputError, match="labels must have a column 'role' of gallery and probe"):
        role_column(labels)


def test_adapters_learn_from_actions_and_never_from_walks(toy):
    walks, walk_labels = make_walks()
    columns = {"role", "condition", "view", "action", "set"}
    merged = {name: [] for name in columns}
    for labels, own in ((toy.labels, "action"), (walk_labels, "gait")):
        for name in columns - {"set"}:
            merged[name].append(labels.columns.get(name, np.full(len(labels.video), "")))
        merged["set"].append(np.full(len(labels.video), own))
    both = Labels(
        np.concatenate([toy.labels.video, walk_labels.video]),
        np.concatenate([toy.labels.split, walk_labels.split]),
        np.concatenate([toy.labels.person, walk_labels.person]),
        {name: np.concatenate(parts) for name, parts in merged.items()},
    )
    recipe = Recipe(
        title="Gait",
        protocol="gait",
        secrets=(),
        attacks=("retrieval",),
        curve_attacks=("retrieval",),
        options={"gait_set": "gait", "action_set": "action"},
        rows=(Row(name="raw", changes=("method=identity",)),),
    )
    from latentveil.types import concatenate

    arena = protocol.build(BenchData(concatenate([toy.features, walks]), both), recipe, seed=0)
    assert set(arena.training_labels().video) <= set(toy.labels.video)
    entry = arena.measure(recipe, recipe.rows[0], arena.fit(recipe.rows[0]))
    scores = protocol.scores(entry)
    assert scores["nm, best attack"].value == 1.0
    assert scores["actions"].value > 0.9
