"""Rows that rewrite videos beside rows that change features: the same encoder, attacks and tasks for both."""

import numpy as np
import pytest

from latentveil.bench.data import BenchData
from latentveil.bench.pixels.encoded import rewritten_features
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.protocols.over_time import SECONDS, moments_of
from latentveil.bench.recipe import load_recipe
from latentveil.bench.run import gather, write_tables
from latentveil.bench.runner import run_recipe
from latentveil.errors import InputError
from latentveil.extraction import EncoderChoice, run_extraction
from latentveil.pixels.apply import apply_pixels
from latentveil.pixels.fit import make_unlearned
from latentveil.store import FeatureStore
from latentveil.types import Sampling
from tests.bench.protocols.few_actors import OPTIONS, RAW, recipe_of

BLUR = {"name": "blur", "pixels": "blur", "preset": "strong"}
# Boxes that grow by ten times their size leave nothing of a frame.
BLACK = {
    "name": "black",
    "pixels": "cover",
    "preset": "black",
    "changes": ["detector=boxes", "detector_options.label=person", "margin=10"],
}
SPACT = {
    "name": "spact",
    "pixels": "spact",
    "preset": "short",
    "changes": [
        "anonymizer.options.width=2",
        "task.architecture=r3d",
        "task.options.width=2",
        "budget.options.width=2",
        "clips.size=32",
        "clips.frames=4",
        "start.reconstruct_steps=1",
        "start.players_epochs=0",
        "train.epochs=1",
    ],
}
ATTRIBUTES = "attributes, best attack"


@pytest.fixture(scope="module")
def data(few_actors):
    return BenchData.load(few_actors)


@pytest.fixture(scope="module")
def shared(tmp_path_factory):
    return tmp_path_factory.mktemp("shared")


def run(recipe, data, folder, shared):
    entries = run_recipe(recipe, data, seeds=[0], results=folder / "results.jsonl", shared=shared)
    protocol = PROTOCOLS.get(recipe.protocol)
    return {entry["name"]: protocol.scores(entry) for entry in entries}, entries


def test_black_videos_show_nothing_and_have_every_column_of_a_latent_row(data, tmp_path, shared):
    recipe = recipe_of("action_privacy", RAW, BLACK, **OPTIONS)
    scores, _ = run(recipe, data, tmp_path, shared)
    assert set(scores["raw"]) == set(scores["black"]) == {ATTRIBUTES, "actions"}
    black = scores["black"]
    assert scores["raw"][ATTRIBUTES].value > black[ATTRIBUTES].value + 0.05
    assert black[ATTRIBUTES].value == pytest.approx(black[ATTRIBUTES].chance, abs=0.05)
    assert black["actions"].value <= 2 * black["actions"].chance
    assert (black["actions"].people, black["actions"].videos) == (
        scores["raw"]["actions"].people,
        scores["raw"]["actions"].videos,
    )


def test_features_are_those_of_veil_apply_and_veil_extract(data, few_actors, tmp_path, shared):
    blur = make_unlearned("blur", "strong")
    found = rewritten_features(data.videos, blur, data.features, data.labels, shared=shared)
    apply_pixels(blur, [few_actors / "action"], tmp_path / "blurred", progress=False)
    sampling = Sampling(clips=2, static_clips=2)
    encoder = EncoderChoice("tiny", size=112)
    run_extraction([tmp_path / "blurred"], tmp_path / "store", encoder=encoder, sampling=sampling)
    by_hand = FeatureStore(tmp_path / "store").read()
    rows = np.isin(found.video, by_hand.video)
    np.testing.assert_allclose(found.feature[rows], by_hand.feature, atol=1e-5)
    assert not np.allclose(found.feature, data.features.feature, atol=1e-2)


def test_what_was_rewritten_is_found_by_other_recipes(data, tmp_path, shared, monkeypatch):
    options = {**OPTIONS, "attributes": []}
    first, _ = run(recipe_of("action_privacy", RAW, BLUR, **options), data, tmp_path / "one", shared)
    monkeypatch.setattr(
        "latentveil.bench.pixels.encoded.apply_pixels", lambda *_, **__: pytest.fail("rewritten twice")
    )
    again, _ = run(recipe_of("tasks", RAW, BLUR, tasks=["action"]), data, tmp_path / "two", shared)
    assert again["blur"]["action"].value == first["blur"]["actions"].value
    assert not list(shared.glob("*/videos"))


def test_principal_components_are_those_of_the_rewritten_videos(few_actors, shared):
    """In the components of raw videos, an attacker on rewritten ones would miss most of what they show."""
    data = BenchData.load(few_actors, components=4)
    blur = make_unlearned("blur", "strong")
    whole = rewritten_features(
        BenchData.load(few_actors).videos, blur, data.features, data.labels, shared=shared
    )
    few = rewritten_features(data.videos, blur, data.features, data.labels, shared=shared)
    train = data.labels.videos("train")
    energy = np.linalg.svd(whole.of_videos(train).feature, compute_uv=False)[:4]
    np.testing.assert_allclose(np.linalg.norm(few.of_videos(train).feature, axis=0), energy, rtol=1e-3)


def test_a_learned_row_has_a_time_and_a_place_on_the_curve(data, tmp_path, shared):
    options = {**OPTIONS, "privacy": ATTRIBUTES, "utility": "actions"}
    recipe = recipe_of("over_time", RAW, SPACT, **options)
    scores, entries = run(recipe, data, tmp_path, shared)
    spent = scores["spact"]
    assert spent["core seconds, encoding"].value == 0  # it trains on videos, not on features
    assert spent[SECONDS].value == spent["core seconds, training"].value > 0
    assert entries[1]["training"]["epochs"] == 1
    [moment] = moments_of(recipe, gather(recipe, entries), recipe.rows[1])
    assert (moment.epochs, moment.seconds) == (1, [spent[SECONDS].value])
    assert "| spact | 1 |" in write_tables("few", recipe, entries, tmp_path)


def test_a_training_that_nobody_timed_has_no_place_on_the_curve(data, tmp_path, shared):
    """Trainings that were kept before they were timed serve all that does not ask for seconds."""
    timed = {**OPTIONS, "attributes": [], "seconds": True}
    run(recipe_of("action_privacy", RAW, SPACT, **timed), data, tmp_path / "first", shared)
    for path in shared.glob("pixels-*/core_seconds.txt"):
        path.unlink()
    untimed = {**timed, "seconds": False}
    run(recipe_of("action_privacy", RAW, SPACT, **untimed), data, tmp_path / "second", shared)
    with pytest.raises(InputError, match="the training of 'spact' must have been timed"):
        run(recipe_of("action_privacy", RAW, SPACT, **timed), data, tmp_path / "third", shared)


def test_a_row_of_pixels_needs_videos(data, tmp_path):
    bare = BenchData(data.features, data.labels)
    recipe = recipe_of("action_privacy", RAW, BLUR, **OPTIONS)
    with pytest.raises(InputError, match="data must hold videos for the row 'blur', got none"):
        run_recipe(recipe, bare, seeds=[0], results=tmp_path / "results.jsonl")


def test_checkpoints_of_rewritten_videos_are_refused(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        'title = "t"\n[[rows]]\nname = "a"\npixels = "blur"\npreset = "weak"\ncheckpoints = [1]\n'
    )
    with pytest.raises(
        InputError, match=r"rows\[0\].checkpoints must be left out where pixels are rewritten"
    ):
        load_recipe(str(path))
