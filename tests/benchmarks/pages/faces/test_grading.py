"""Faces: a copy gives everything away, zeros nothing; adapters come from the signers' bench, and work is done once."""

import json
from dataclasses import replace

import numpy as np
import pytest

from benchmarks.pages.faces import __main__ as program
from benchmarks.pages.faces import grading
from benchmarks.pages.faces.grading import Faces, mean_leakage, run_faces
from benchmarks.pages.faces.page import render_faces
from benchmarks.pages.faces.pictures import Pictures, compare_spaces, load_faces
from latentveil.adapters.adapter import Adapter
from latentveil.auditing.answers import SecretAnswers
from latentveil.bench.data import PrincipalComponents
from latentveil.bench.recipe import Recipe, Row
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.store import Manifest, StoreWriter
from latentveil.types import EncoderInfo, FeatureSet

ATTACKS = ("lda", "linear")


def make_pictures(dim, *, count=90, seed=0):
    """One still per person; two attributes show in the first two dimensions."""
    random = np.random.default_rng(seed)
    video = np.array([f"face{index:03}" for index in range(count)])
    old, child = (random.random(count) < share for share in (0.5, 0.3))
    feature = random.normal(size=(count, dim))
    feature[:, 0] += 5.0 * old
    feature[:, 1] += 5.0 * child
    zeros = np.zeros(count, int)
    kinds, views = np.full(count, "static"), np.full(count, "validation")
    features = FeatureSet(video, zeros, zeros, zeros * 0.0, kinds, views, feature.astype(np.float32))
    split = np.array(["train", "val", "test"])[np.arange(count) % 3]
    columns = {"secret_old": old.astype(int).astype(str), "secret_child": child.astype(int).astype(str)}
    return Pictures(features, Labels(video, split, None, columns), ("A remark.",))


@pytest.fixture(scope="module")
def pictures():
    return make_pictures(24)


@pytest.fixture(scope="module")
def graded(pictures):
    return Faces.build(pictures.features, pictures.labels, seed=0, attacks=ATTACKS)


def test_a_copy_gives_everything_away_and_zeros_nothing(graded):
    adapter = Adapter(dim=24, architecture="affine")
    copy = graded.grade(adapter)
    adapter.network.weight.zero_()
    zeros = graded.grade(adapter)
    assert [(found["secret"], found["kind"]) for found in copy["readings"]] == [
        ("old", "static"),
        ("child", "static"),
    ]
    for attack in ("linear", "worst"):
        assert copy["mean"][attack]["leakage_removed"]["value"] == pytest.approx(0.0, abs=1e-6)
        assert copy["mean"][attack]["anonymized"]["value"] > 0.9
        assert zeros["mean"][attack]["leakage_removed"]["value"] == 1.0
        assert zeros["mean"][attack]["anonymized"]["value"] <= zeros["mean"][attack]["chance"] + 1e-9
    json.dumps(copy, allow_nan=False)


def answers(secret, target, score):
    target, score = np.array(target), np.array(score)
    video = np.array([f"v{index}" for index in range(len(target))])
    probabilities = np.stack([1 - score, score], axis=1)
    return SecretAnswers(
        secret,
        "static",
        "average_precision",
        ("0", "1"),
        video,
        video,
        target,
        np.array([0.5, 0.5]),
        {"a": probabilities},
        {"a": []},
    )


def test_means_over_secrets_by_hand():
    """One secret is read perfectly before and not at all after, the other perfectly both times; a half is positive."""
    target, right = [1, 1, 0, 0] * 5, [0.9, 0.8, 0.2, 0.1] * 5
    knows, guesses = answers("x", target, right), answers("x", target, [0.5] * 20)
    found = mean_leakage([(knows, guesses), (knows, knows)], seed=0)
    assert found["chance"] == 0.5
    assert found["raw"]["value"] == 1.0
    assert found["anonymized"]["value"] == pytest.approx(0.75)
    assert found["leakage_removed"]["value"] == pytest.approx(0.5)
    assert found["anonymized"]["low"] < 0.75 < found["anonymized"]["high"]


@pytest.fixture
def recipe():
    return Recipe(
        title="Toy",
        secrets=("identity",),
        kinds=("temporal",),
        attacks=ATTACKS,
        curve_attacks=ATTACKS,
        num_seen=3,
        rows=(
            Row(name="raw", changes=("method=identity",)),
            Row(name="pca 2", changes=("method=pca", "erasure.keep=2"), full=False),
            Row(name="veil"),
        ),
    )


@pytest.fixture
def signers(toy_with_six_actions, write_store, tmp_path):
    """The folder that the bench of the signers ran on."""
    write_store(tmp_path / "signers" / "raw.store", toy_with_six_actions.features)
    toy_with_six_actions.labels.write(tmp_path / "signers" / "labels.csv")
    return tmp_path / "signers"


@pytest.fixture
def bench(recipe, signers, monkeypatch, tmp_path):
    """Run the toy recipe on toy pictures; gives the entries and the names of the adapters that were graded for them."""
    (tmp_path / "faces").mkdir()
    monkeypatch.setattr(grading, "load_faces", lambda *_, **__: make_pictures(24))
    monkeypatch.setattr(grading, "ATTACKS", ATTACKS)
    graded = []

    def start():
        graded.clear()
        entries, about = run_faces(
            recipe,
            signers=signers,
            pictures=tmp_path,
            output=tmp_path,
            seeds=[0],
            on_progress=lambda step: graded.append(step.note.split()[2]),
        )
        return entries, about, graded

    return start


def test_full_rows_are_graded_once_with_the_adapters_of_the_signers(bench, recipe, tmp_path):
    entries, about, measured = bench()
    assert measured == ["raw", "veil"]
    by_name = {entry["name"]: entry["mean"]["worst"] for entry in entries}
    assert by_name["raw"]["leakage_removed"]["value"] == pytest.approx(0.0, abs=1e-6)
    assert by_name["veil"]["leakage_removed"]["value"] > 0.05
    assert (tmp_path / "real" / "adapters" / "veil-0" / "config.json").is_file()

    again, _, measured = bench()
    assert measured == []
    assert again == entries

    results = tmp_path / "faces" / "results.jsonl"
    other = [entry | {"settings": entry["settings"] | {"method": "other"}} for entry in entries[1:]]
    results.write_text("".join(json.dumps(entry) + "\n" for entry in [entries[0], *other]))
    _, _, measured = bench()
    assert measured == ["veil"]  # its preset has changed since
    page = render_faces(recipe, entries, about)
    assert page.count("| raw |") == page.count("| veil |") == 3
    assert "24 components of signers" in page
    assert "A remark." in page


def test_results_of_other_attacks_are_refused(bench, recipe, tmp_path):
    entry = {"row": recipe.rows[0].key, "name": "raw", "seed": 0, "settings": {"method": "identity"}}
    entry["readings"] = [{"secret": "old", "attacks": {"mlp": {}}, "num_videos": 30}]
    results = tmp_path / "faces" / "results.jsonl"
    results.write_text(json.dumps(entry) + "\n")
    with pytest.raises(InputError, match=r"30 test pictures and the attacks lda, linear, got .* under mlp"):
        bench()
    entry["readings"] = [{"secret": "old", "attacks": dict.fromkeys(ATTACKS), "num_videos": 20}]
    results.write_text(json.dumps(entry) + "\n")
    with pytest.raises(InputError, match="got row 'raw' of 20"):
        bench()


def test_the_program_writes_the_page(bench, recipe, signers, monkeypatch, tmp_path):
    monkeypatch.setattr(program, "load_recipe", lambda _: recipe)
    monkeypatch.setenv("LATENTVEIL_DATA", str(tmp_path))
    page = tmp_path / "faces.md"
    program.main([str(tmp_path), "--data", str(signers), "--quick", "-o", str(page)])
    assert "Attacks: lda, linear." in page.read_text()
    assert (tmp_path / "faces" / "quick.jsonl").is_file()


def test_no_data_says_what_to_do(signers, monkeypatch, tmp_path):
    monkeypatch.delenv("LATENTVEIL_DATA", raising=False)
    with pytest.raises(InputError, match="LATENTVEIL_DATA must name the folder"):
        program.main([str(tmp_path), "--data", str(signers)])
    with pytest.raises(InputError, match=r"must hold utkface/labels.csv and its pictures, got none in"):
        load_faces(tmp_path, cache=tmp_path / "cache")


def test_ready_features_are_imported_and_the_rest_is_encoded_once(pictures, monkeypatch, tmp_path):
    """30 pictures come ready; an encoder that is stopped after 45 others goes on with the last 15."""
    features, labels = pictures.features, pictures.labels
    (tmp_path / "utkface").mkdir()
    (tmp_path / "features").mkdir()
    labels.write(tmp_path / "utkface" / "labels.csv")
    for name in features.videos:
        (tmp_path / "utkface" / f"{name}.jpg").touch()
    ready = features.select(np.arange(30))
    columns = {name: getattr(ready, name) for name in ("video", "kind", "start_frame", "feature")}
    np.savez(tmp_path / "features" / "utkface.npz", **columns)
    calls = []

    def run_extraction(files, store, *, sampling, on_progress):
        calls.append([file.stem for file in files])
        encoder = EncoderInfo("toy", "0" * 64, features.dim, 16, 64, (0.5,) * 3, (0.5,) * 3, "none")
        with StoreWriter(store, Manifest(encoder=encoder, sampling=sampling)) as writer:
            writer.write_shard(features.of_videos(calls[-1][:45]))
            writer.finish()
        return type("Report", (), {"failures": ()})()

    monkeypatch.setattr("benchmarks.pages.faces.pictures.run_extraction", run_extraction)
    part = load_faces(tmp_path, cache=tmp_path / "cache")
    assert (len(part.features), len(part.labels.video)) == (75, 90)
    assert "45 encoded by this bench, 30 that came ready" in part.remarks[0]
    assert "15 pictures are left out" in part.remarks[0]
    whole = load_faces(tmp_path, cache=tmp_path / "cache")
    np.testing.assert_array_equal(whole.features.video, features.video)
    np.testing.assert_array_equal(whole.features.feature, features.feature)
    with open(tmp_path / "utkface" / "labels.csv", "a") as file:
        file.write("face999,test,1,0\n")  # a picture that is not there
    assert len(load_faces(tmp_path, cache=tmp_path / "cache").features) == 90
    assert calls == [features.videos[30:], features.videos[75:]]


def test_spaces_are_compared_without_test_pictures(toy, pictures):
    """A space without the telling dimensions is worse, and nothing about test pictures matters."""
    features, labels = pictures.features, pictures.labels
    features = features.with_feature(features.feature * 6)  # more than the signers vary
    signers = toy.features.with_feature(toy.features.feature * np.where(np.arange(24) < 2, 1e-3, 1.0))
    space = PrincipalComponents.fit(signers, toy.labels, 4)
    found = compare_spaces(Pictures(features, labels), space, signers=signers)
    cmap = list(found["cmap"].values())
    assert cmap[0]["linear"] > cmap[1]["linear"] + 0.2
    assert cmap[2]["linear"] > cmap[1]["linear"] + 0.1
    assert 0 < found["variance_kept"] < 0.5

    other = features.feature.copy()
    other[labels.split == "test"] *= 100
    turned = replace(
        labels,
        columns={
            name: np.where(labels.split == "test", "1", value) for name, value in labels.columns.items()
        },
    )
    changed = Pictures(features.with_feature(other), turned)
    assert compare_spaces(changed, space, signers=signers) == found
