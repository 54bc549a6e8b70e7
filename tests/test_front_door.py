"""What `import latentveil as lv` gives: verbs and nouns, at once, typed, for stores and for plain arrays."""

import importlib
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

import latentveil as lv
from latentveil.errors import InputError
from latentveil.types import TEMPORAL

ROOT = Path(__file__).parents[1]

VERBS = {
    "extract",
    "import_features",
    "export_features",
    "fit",
    "apply",
    "audit",
    "evaluate",
    "protect",
    "tune",
}
NOUNS = {
    "FeatureSet",
    "FeatureStore",
    "Labels",
    "Adapter",
    "PixelAnonymizer",
    "Audit",
    "load_adapter",
    "load_audit",
    "load_encoder",
}


def clips_of(toy):
    """The toy's clips as a user has them: {video: (T, D)} and {video: (K, D)} of stills."""
    clips, stills = {}, {}
    for video, kind, _, rows in toy.features.sequences():
        (clips if kind == TEMPORAL else stills)[video] = toy.features.feature[rows]
    return clips, stills


def columns_of(toy):
    labels = toy.labels
    return {"video": labels.video, "split": labels.split, "person": labels.person, **labels.columns}


def test_every_public_name_is_listed_and_is_what_it_says():
    assert set(lv.__all__) - {"__version__"} == VERBS | NOUNS == set(lv._HOMES)
    assert dir(lv) == lv.__all__
    for name in VERBS:
        assert callable(getattr(lv, name))
        assert getattr(lv, name).__name__ == name


def test_no_room_takes_the_place_of_a_verb():
    """Python sets a package's attribute to each sub-package that is imported, which would hide a verb of its name."""
    for module in pkgutil.walk_packages(lv.__path__, "latentveil."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    for name in VERBS:
        assert getattr(lv, name).__name__ == name


def test_type_checkers_see_the_names_that_users_get(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import latentveil as lv\n" + "".join(f"reveal_type(lv.{name})\n" for name in sorted(VERBS))
    )
    done = subprocess.run(  # where `make test` has run mypy before, its cache makes this a matter of seconds
        [sys.executable, "-m", "mypy", str(program)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    revealed = [line for line in done.stdout.splitlines() if "Revealed type" in line]
    assert len(revealed) == len(VERBS), done.stdout
    assert not any('"Any"' in line for line in revealed)


def test_the_import_takes_less_than_50_milliseconds():
    """In processor time beyond that of an empty program, the best of five."""

    def used(program):
        before = os.times()
        subprocess.run([sys.executable, "-c", program], check=True)
        after = os.times()
        return after.children_user + after.children_system - before.children_user - before.children_system

    seconds = min(used("import latentveil") for _ in range(5)) - min(used("pass") for _ in range(5))
    assert seconds < 0.05


def test_from_arrays_to_an_audit(toy, tmp_path):
    clips, stills = clips_of(toy)
    raw = lv.FeatureSet.from_arrays(clips, stills=stills)
    labels = columns_of(toy)
    adapter = lv.fit(raw, labels, tasks=["action"], progress=False)
    safe = lv.apply(adapter, raw)
    assert isinstance(safe, lv.FeatureSet)
    assert safe.feature.shape == raw.feature.shape
    audit = lv.audit(raw, safe, labels, adapter=adapter, attacks=["lda"], progress=False)
    assert audit.secrets["identity"].worst.raw.value > 0.9
    assert "gender" in str(audit)
    audit.save(tmp_path / "audit")
    assert lv.load_audit(tmp_path / "audit") == audit
    assert "<table" in audit._repr_html_()
    found = lv.evaluate("action", safe, labels, seeds=1, progress=False)
    assert found.mean > found.chance
    adapter.save(tmp_path / "adapter")
    again = lv.load_adapter(tmp_path / "adapter")
    assert again.sha256() == adapter.sha256()
    np.testing.assert_array_equal(
        again.transform(clips, seed=1)["p00_a0_r0"], adapter.transform(clips, seed=1)["p00_a0_r0"]
    )


def test_every_verb_takes_a_path_a_store_a_feature_set_and_arrays(toy_folder, toy, tmp_path):
    clips, stills = clips_of(toy)
    store = lv.FeatureStore(toy_folder / "raw")
    together = lv.FeatureSet.from_arrays(clips, stills=stills)
    for given in (str(toy_folder / "raw"), toy_folder / "raw", store, together, store.read()):
        adapter = lv.fit(given, toy_folder / "labels.csv", method="noise", progress=False)
        found = lv.evaluate("action", given, toy.labels, seeds=[3], progress=False)
        assert found.mean > 0.9
    assert isinstance(lv.apply(adapter, store, tmp_path / "safe", progress=False), lv.FeatureStore)


def test_arrays_come_back_as_they_came(toy):
    clips, _ = clips_of(toy)
    adapter = lv.Adapter(dim=toy.features.dim, architecture="affine")
    safe = lv.apply(adapter, clips)
    assert list(safe) == list(clips)
    np.testing.assert_allclose(safe["p00_a0_r0"], clips["p00_a0_r0"], rtol=1e-6)
    rows = np.stack([part[0] for part in clips.values()])  # (N, D)
    np.testing.assert_allclose(lv.apply(adapter, rows), rows, rtol=1e-6)
    sequences = np.stack(list(clips.values()))  # (N, T, D)
    np.testing.assert_allclose(lv.apply(adapter, torch.from_numpy(sequences)), sequences, rtol=1e-6)


def test_rows_without_names_go_with_labels_without_names(toy):
    clips, _ = clips_of(toy)
    rows = np.stack([clips[video].mean(axis=0) for video in toy.labels.video])
    labels = {"split": toy.labels.split, "action": toy.labels.column("action")}
    assert lv.evaluate("action", rows, labels, seeds=1, progress=False).mean > 0.9


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({}, "at least one video"),
        (None, "got nothing"),
        (np.zeros(3), r"of shape \(T, D\), got float64 of shape \(3,\)"),
        ({"a": np.zeros((2, 3)), "b": np.zeros((2, 4))}, r"one dimension in every video, got \[3, 4\]"),
        ({"a": [[1.0, np.nan]]}, "features of 'a' must be finite"),
        ({1: [[1.0]], "1": [[2.0]]}, "different names as text, got some twice"),
        ({"a": [["x", "y"]]}, "features of 'a' must be numbers"),
    ],
)
def test_arrays_that_are_no_features_are_refused_in_a_sentence(toy, wrong, said):
    with pytest.raises(InputError, match=said):
        lv.fit(wrong, toy.labels)


def test_a_store_needs_a_place_for_its_result_and_arrays_take_none(toy_folder, toy, tmp_path):
    adapter = lv.Adapter(dim=toy.features.dim, architecture="affine")
    with pytest.raises(InputError, match="output must be a folder for the anonymized store"):
        lv.apply(adapter, toy_folder / "raw")
    with pytest.raises(InputError, match="output must be left out"):
        lv.apply(adapter, toy.features, tmp_path / "safe")


def test_a_protected_encoder_keeps_its_signature_and_gives_safe_features():
    encoder = lv.load_encoder("tiny")
    adapter = lv.Adapter(dim=encoder.info.dim, architecture="affine")
    adapter.network.weight.mul_(2)
    protected = lv.protect(encoder, adapter)
    clips = torch.randint(0, 255, (2, 16, 64, 64, 3), dtype=torch.uint8)
    assert isinstance(protected, torch.nn.Module)
    torch.testing.assert_close(protected.encode(clips), 2 * encoder.encode(clips))
    frames = encoder.normalise(clips)
    torch.testing.assert_close(protected(frames), 2 * encoder(frames))
    assert protected.info == encoder.info
    assert not any(parameter.requires_grad for parameter in protected.parameters())


def test_an_adapter_protects_no_other_encoder_than_its_own():
    encoder = lv.load_encoder("tiny")
    of_tiny = {"name": "tiny", "weights_sha256": encoder.info.weights_sha256, "dim": encoder.info.dim}
    for known in (None, of_tiny, {"name": "mine", "weights_sha256": "unknown", "dim": encoder.info.dim}):
        lv.protect(encoder, lv.Adapter(dim=encoder.info.dim, architecture="affine", encoder=known))
    other = lv.Adapter(
        dim=encoder.info.dim, architecture="affine", encoder=of_tiny | {"weights_sha256": "0" * 64}
    )
    with pytest.raises(
        InputError, match=r"fitted for \(tiny, 64 numbers, weights 000000000000\), got tiny, 64"
    ):
        lv.protect(encoder, other)
    with pytest.raises(InputError, match=r"fitted for \(unknown, 3 numbers, weights unknown\), got tiny, 64"):
        lv.protect(encoder, lv.Adapter(dim=3, architecture="affine"))


def test_any_module_or_function_that_gives_features_can_be_protected():
    adapter = lv.Adapter(dim=3, architecture="affine")
    linear = torch.nn.Linear(5, 3)
    torch.testing.assert_close(lv.protect(linear, adapter)(torch.ones(4, 5)), linear(torch.ones(4, 5)))
    torch.testing.assert_close(
        lv.protect(lambda x: x + 1, adapter)(torch.ones(2, 7, 3)), torch.full((2, 7, 3), 2.0)
    )
    with pytest.raises(InputError, match=r"\(B, D\) or \(B, T, D\), got \(3,\)"):
        lv.protect(lambda x: x, adapter)(torch.ones(3))


def test_the_checksum_of_an_adapter_is_that_of_its_file(tmp_path):
    import hashlib

    adapter = lv.Adapter(dim=4, layers=1, heads=2)
    adapter.save(tmp_path)
    assert adapter.sha256() == hashlib.sha256((tmp_path / "model.safetensors").read_bytes()).hexdigest()


def test_patterns_and_folders_are_imported(tmp_path):
    for name in ("a", "b"):
        np.save(tmp_path / f"{name}.npy", np.random.default_rng(0).normal(size=(3, 4)))
    store = lv.import_features(str(tmp_path / "*.npy"), tmp_path / "s", progress=False)
    assert store.videos == ["a", "b"]
    with pytest.raises(InputError, match="must match some files, got none"):
        lv.import_features(str(tmp_path / "*.h5"), tmp_path / "t")
    assert lv.export_features(store, npy=tmp_path / "out") == [tmp_path / "out"]
    np.testing.assert_array_equal(np.load(tmp_path / "out" / "a.npy"), store.video_array("a"))


def test_videos_become_an_opened_store(tmp_path):
    from latentveil.actors.sets.write import write_dataset

    write_dataset(tmp_path / "actors", task="action", num_videos=3, size=64)
    raw = lv.extract(
        tmp_path / "actors" / "videos", tmp_path / "raw", encoder="tiny", static=2, clips=2, progress=False
    )
    assert isinstance(raw, lv.FeatureStore)
    assert raw.manifest.counts.static == 6
    assert raw.report.failures == ()
    assert "3 videos" in repr(raw)
