"""The protocol of rewritten videos, on small videos whose brightness is the secret and whose square moves."""

from types import SimpleNamespace

import numpy as np
import pytest

from latentveil.bench.pixels.clips import ClipShape
from latentveil.bench.pixels.data import load_pixel_data
from latentveil.bench.pixels.kept import KeptAnswers
from latentveil.bench.pixels.readers import either_way, train_reader
from latentveil.bench.protocols import PROTOCOLS
from latentveil.bench.recipe import Recipe
from latentveil.bench.rows import Row
from latentveil.bench.runner import run_recipe
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.metrics.intervals import KEPT_HALVES
from latentveil.video.write import write_video

RAW = Row(name="raw", changes=("method=identity",))
BLACK = Row(name="black", pixels="cover", preset="black", changes=("detector=boxes", "margin=0"))
BLURRED = Row(name="blurred", pixels="blur", preset="strong")
LINEAR, SCRATCH = "secrets, linear", "secrets, from scratch"


def grid_means(pictures):
    """Eight by eight means of the first and last frames: features that show brightness and place."""
    size = pictures.shape[2] // 8
    ends = pictures[:, [0, -1]].astype(np.float32) / 255
    cells = ends.reshape(len(ends), 2, 8, size, 8, size, 3).mean(axis=(3, 5, 6))
    return cells.reshape(len(ends), -1)


@pytest.fixture(autouse=True)
def features_without_weights(monkeypatch):
    for place in ("latentveil.bench.pixels.data", "latentveil.bench.protocols.pixels"):
        monkeypatch.setattr(f"{place}.video_features", grid_means)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Thirty-six videos of twelve people: the square goes right or down, the whole frame is dark or light."""
    folder = tmp_path_factory.mktemp("videos")
    (folder / "videos").mkdir()
    random, names = np.random.default_rng(0), [f"v{number:02d}" for number in range(36)]
    boxes = ["video,frame,label,track,left,top,right,bottom,score"]
    for number, name in enumerate(names):
        frames = np.full((6, 32, 32, 3), 60 + 120 * (number // 3 % 2), dtype=np.uint8)
        frames += random.integers(0, 10, frames.shape, dtype=np.uint8)
        for time in range(6):
            top, left = (4, 4 * time) if number % 2 else (4 * time, 4)
            frames[time, top : top + 8, left : left + 8] = 250
            boxes.append(f"{name},{time},person,0,0,0,32,32,1")
        write_video(folder / "videos" / f"{name}.mp4", frames, fps=8)
    (folder / "boxes.csv").write_text("\n".join(boxes) + "\n")
    people = np.arange(36) // 3
    Labels(
        video=np.array(names),
        split=np.array(["train"] * 6 + ["val"] * 2 + ["test"] * 4)[people],
        person=np.char.add("p", people.astype(str)),
        columns={
            "action": np.array(["down", "right"] * 18),
            "secret_light": (people % 2).astype(str),
            "secret_late": (np.arange(36) % 2).astype(str),
        },
    ).write(folder / "labels.csv")
    return folder


def make_recipe(*rows, **options):
    return Recipe(
        title="Toy",
        protocol="pixels",
        secrets=("light",),
        attacks=("lda",),
        curve_attacks=("lda",),
        options={"frames": 4, "size": 32, "starts": ("scratch",), "num_fresh": 1, **options},
        rows=rows,
    )


def run(folder, tmp_path, *rows, **options):
    data = load_pixel_data(folder, ClipShape(4, 32), cache=tmp_path)
    results = tmp_path / "run" / "results.jsonl"
    entries = run_recipe(make_recipe(*rows, **options), data, seeds=[0], results=results)
    return {entry["name"]: entry for entry in entries}


def test_raw_video_shows_everything_and_black_video_nothing(folder, tmp_path):
    found = run(folder, tmp_path, RAW, BLACK, reader_epochs=60)
    scores = {name: PROTOCOLS.get("pixels").scores(entry) for name, entry in found.items()}
    for column in ("actions", LINEAR, SCRATCH):
        assert scores["raw"][column].value > 0.9, column
        assert scores["black"][column].value <= 0.75, column
        assert (scores["raw"][column].people, scores["raw"][column].videos) == (4, 12)


def test_rows_can_be_compared_on_the_same_halves_of_people_and_nobody_is_named(folder, tmp_path):
    entry = run(folder, tmp_path, RAW)["raw"]
    score = PROTOCOLS.get("pixels").scores(entry)[LINEAR]
    assert (score.groups, len(score.halves)) == (4, KEPT_HALVES)
    assert "p1" not in str(entry["scores"])


def test_a_row_on_features_has_the_linear_attack_alone(folder, tmp_path):
    noise = Row(name="noise", changes=("method=noise", "erasure.noise=1e6"))
    scores = PROTOCOLS.get("pixels").scores(run(folder, tmp_path, noise)["noise"])
    assert set(scores) == {"actions", LINEAR}
    assert scores[LINEAR].value < 0.9


def test_novel_secrets_are_told_apart(folder, tmp_path):
    recipe = make_recipe(RAW, seen_secrets=("light",)).model_copy(update={"secrets": ("light", "late")})
    data = load_pixel_data(folder, ClipShape(4, 32), cache=tmp_path)
    (entry,) = run_recipe(recipe, data, seeds=[0], results=tmp_path / "novel" / "results.jsonl")
    assert {"seen secrets, linear", "novel secrets, linear", "novel secrets, from scratch"} <= set(
        entry["scores"]
    )


def test_answers_are_asked_for_once_and_again_where_anything_differs(folder, tmp_path, monkeypatch):
    asked = []

    def spy(*parts, **options):
        asked.append(options["seed"])
        return train_reader(*parts, **options)

    monkeypatch.setattr("latentveil.bench.pixels.hits.train_reader", spy)
    first = run(folder, tmp_path, RAW, BLURRED)
    assert asked == [0, 0]
    for path in (tmp_path / "run").glob("*.jsonl"):
        path.unlink()
    again = run(folder, tmp_path, RAW, BLURRED)
    assert asked == [0, 0]
    assert {name: entry["scores"] for name, entry in again.items()} == {
        name: entry["scores"] for name, entry in first.items()
    }
    (tmp_path / "run" / "results.jsonl").unlink()
    run(folder, tmp_path, RAW, reader_epochs=2)
    assert asked == [0, 0, 0]


def test_of_attackers_from_scratch_the_mean_of_several_counts(folder, tmp_path, monkeypatch):
    """One of them finds everything, one nothing, one half."""
    hits = {0: 1.0, 1000: 0.0, 2000: 0.5}

    def train(clips, secrets, shape, *, seed, start=None):
        rows = clips.rows("test")
        right = np.arange(len(rows)) < hits[seed] * len(rows)
        return SimpleNamespace(hits=lambda _: dict.fromkeys(secrets, right))

    monkeypatch.setattr("latentveil.bench.pixels.hits.train_reader", train)
    scores = run(folder, tmp_path, RAW, num_fresh=3, starts=("scratch", "raw"))["raw"]["scores"]
    assert scores[SCRATCH]["value"] == pytest.approx(0.5)
    assert scores["secrets, trained on raw"]["value"] == 1
    alone = run(folder, tmp_path / "alone", RAW)["raw"]["scores"]
    assert alone[SCRATCH]["value"] == 1


@pytest.mark.parametrize("change", range(5))
def test_answers_to_other_questions_are_not_taken_for_these(tmp_path, change):
    labels = Labels(
        np.array(["a", "b"]), np.array(["train", "test"]), columns={"action": np.array(["x", "y"])}
    )
    others = Labels(np.array(["a", "b"]), np.array(["test", "train"]), columns=labels.columns)
    asked = ["linear", np.zeros((2, 3)), labels, ("gender",), 0]
    other = ["scratch", np.ones((2, 3)), others, ("skin",), 1]
    kept = KeptAnswers(tmp_path)
    kept.find(asked, lambda: {"gender": np.array([True, False])})
    found = kept.find(asked, lambda: pytest.fail("asked twice"))
    assert found["gender"].tolist() == [True, False]
    asked[change] = other[change]
    assert kept.find(asked, lambda: {"gender": np.array([False])})["gender"].tolist() == [False]


def test_what_is_trained_is_found_again_with_its_log(folder, tmp_path, monkeypatch):
    changes = (
        "anonymizer.options.width=2",
        "task.architecture=r3d",
        "task.options.width=2",
        "budget.options.width=2",
        "clips.size=32",
        "clips.frames=4",
        "clips.skip=1",
        "start.reconstruct_steps=1",
        "start.players_epochs=0",
        "train.epochs=1",
    )
    row = Row(name="spact", pixels="spact", preset="short", changes=changes)
    training = run(folder, tmp_path, row)["spact"]["training"]
    assert training["epochs"] == 1
    assert {"task", "budget", "accuracy"} <= set(training["last"])
    (tmp_path / "run" / "results.jsonl").unlink()
    monkeypatch.setattr(
        "latentveil.bench.pixels.anonymizers._fit", lambda *_, **__: pytest.fail("trained twice")
    )
    assert run(folder, tmp_path, row)["spact"]["training"] == training


def test_other_protocols_refuse_rows_of_pixels(strangers_data, tmp_path):
    recipe = make_recipe(BLURRED).model_copy(update={"protocol": "seen_unseen", "options": {}, "num_seen": 0})
    with pytest.raises(
        InputError, match="protocol must grade rewritten videos for the row 'blurred', got 'seen_unseen'"
    ):
        run_recipe(recipe, strangers_data, seeds=[0], results=tmp_path / "results.jsonl")


@pytest.fixture
def strangers_data(folder, tmp_path):
    return load_pixel_data(folder, ClipShape(4, 32), cache=tmp_path)


def test_an_attack_that_is_always_wrong_is_turned_round():
    truth = np.array([0, 1, 0, 1])
    logits = np.array([[0.0, 1.0], [1.0, 0.0]])
    val, test = np.array([0, 1]), np.array([2, 3])
    assert either_way(logits, logits, truth, val=val, test=test).all()
    assert not either_way(-logits, logits, truth, val=val, test=test).any()
