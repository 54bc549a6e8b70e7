"""Rows that need the video files: trainings on random views, pictures that come back, scores over time."""

import json

import numpy as np
import pytest

from latentveil.bench.data import BenchData
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.protocols.over_time import moments_of
from latentveil.bench.run import gather, run_bench, write_tables
from latentveil.bench.runner import run_recipe
from latentveil.errors import InputError
from tests.bench.protocols.few_actors import OPTIONS, RAW, recipe_of

TRAINING = ["train.epochs=2", "adapter.heads=4", "adapter.init=exact"]


@pytest.fixture(scope="module")
def data(few_actors):
    return BenchData.load(few_actors, components=16)


def trained(name, **changes):
    return {"name": name, "preset": "released", "changes": TRAINING, **changes}


def test_a_live_row_trains_on_new_views_each_epoch_and_pays_for_it(data, tmp_path):
    rows = [trained("stored"), trained("live", live=True)]
    recipe = recipe_of("action_privacy", RAW, *rows, **OPTIONS, seconds=True)
    arena = PROTOCOLS.get("action_privacy").build(data, recipe, seed=0)
    views = arena.training_data(recipe.rows[2]).fresh
    first, again, second = (views(epoch).features for epoch in (0, 0, 1))
    assert first.dim == 16  # in the space of the stored features
    np.testing.assert_array_equal(first.feature, again.feature)
    assert not np.allclose(first.feature, second.feature)
    assert arena.training_data(recipe.rows[1]).fresh is None

    entries = run_recipe(recipe, data, seeds=[0], results=tmp_path / "results.jsonl")
    seconds = {
        entry["name"]: {name: score["value"] for name, score in entry["scores"].items() if "seconds" in name}
        for entry in entries
    }
    assert seconds["live"]["core seconds, encoding"] == 0
    assert seconds["live"]["core seconds, training"] > seconds["stored"]["core seconds, training"]
    assert seconds["stored"]["core seconds, encoding"] > 0
    assert entries[1]["made_for"]["settings"] == entries[2]["made_for"]["settings"]
    assert entries[1]["row"] != entries[2]["row"]


def test_a_live_row_without_videos_is_refused(data):
    recipe = recipe_of("action_privacy", RAW, trained("live", live=True), **OPTIONS)
    bare = BenchData(data.features, data.labels)
    arena = PROTOCOLS.get("action_privacy").build(bare, recipe, seed=0)
    with pytest.raises(InputError, match="data must hold videos for the live row 'live', got none"):
        arena.training_data(recipe.rows[1])


def test_time_adds_up_over_checkpoints(data, tmp_path):
    row = trained("ours", checkpoints=[1])
    options = {**OPTIONS, "privacy": "attributes, best attack", "utility": "actions"}
    recipe = recipe_of("over_time", RAW, row, **options)
    entries = run_recipe(recipe, data, seeds=[0], results=tmp_path / "results.jsonl")
    found = gather(recipe, entries)
    early, late = moments_of(recipe, found, recipe.rows[1])
    assert (early.epochs, late.epochs) == (1, 2)
    spent = [found.values(name, "core seconds, training")[0] for name in ("ours, epoch 1", "ours")]
    assert 0 < spent[0] < spent[1]
    leak, use = (found.values("ours", column)[0] for column in ("attributes, best attack", "actions"))
    assert late.score == [pytest.approx((use + 1 - leak) / 2)]
    page = write_tables("fig4", recipe, entries, tmp_path)
    assert "| ours | 1 |" in page
    assert "| ours | 2 |" in page
    assert (tmp_path / "table.svg").read_text().count("<circle") == 2


def test_pictures_come_back_from_raw_features_and_not_from_noise(data, tmp_path):
    noise = {"name": "only noise", "changes": ["method=noise", "erasure.noise=1e6"]}
    recipe = recipe_of("pictures", RAW, noise, action_set="action", attribute="gender")
    entries = run_recipe(recipe, data, seeds=[0], results=tmp_path / "results.jsonl")
    found = gather(recipe, entries)
    column = "PSNR, decoder of anonymized features"
    (raw,), (none,) = found.values("raw", column), found.values("only noise", column)
    (score,) = found.scores("raw", column).values()
    assert raw > score.chance + 0.5  # in dB above the mean frame
    assert none < score.chance + 0.3
    assert score.people
    assert len(score.halves) == 100


def test_stores_of_several_encoders_are_rows_of_one_table(few_actors, tmp_path):
    folder = tmp_path / "large"
    folder.mkdir()
    (folder / "labels.csv").write_bytes((few_actors / "labels.csv").read_bytes())
    (folder / "there").mkdir()
    (folder / "there" / "raw.store").symlink_to(few_actors / "raw.store")
    text = {
        "title": "Encoders",
        "protocol": "action_privacy",
        "secrets": [],
        "kinds": ["static"],
        "attacks": ["lda"],
        "curve_attacks": ["lda"],
    }
    lines = [f"{name} = {json.dumps(value)}" for name, value in text.items()]
    lines += ["[options]", 'action_set = "action"']
    for store in ("there", "missing"):
        lines += ["[[rows]]", f'name = "{store}, raw"', f'store = "{store}"', 'changes = ["method=identity"]']
        lines += ["[[rows]]", f'name = "{store}, pca"', f'store = "{store}"', 'changes = ["method=pca"]']
    (tmp_path / "mine.toml").write_text("\n".join(lines))
    done = run_bench(str(tmp_path / "mine.toml"), data=folder, output=tmp_path / "runs", seeds=1)
    assert [entry["name"] for entry in done.entries] == ["there, raw", "there, pca"]
    assert done.measured.raw_of("there, pca") == "there, raw"
    (folder / "there" / "raw.store").unlink()
    with pytest.raises(InputError, match="data must be a folder with one of there, missing"):
        run_bench(str(tmp_path / "mine.toml"), data=folder, output=tmp_path / "again", seeds=1)
