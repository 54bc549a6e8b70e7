"""Seeds, settings, labels, checkpoints and adapters that no run can take are refused with a sentence."""

from __future__ import annotations

import json

import pytest
import torch

import latentveil as lv
from latentveil.adapters.adapter import Adapter, load_adapter
from latentveil.errors import InputError
from latentveil.files.run_folder import RunFolder
from latentveil.labels import Labels, read_segments
from latentveil.methods.plan import load_config


@pytest.mark.parametrize("seed", [-1, 10**30, 1 << 31])
def test_a_seed_that_no_library_takes_is_refused_before_any_work(toy, toy_folder, tmp_path, seed):
    raw, labels = toy_folder / "raw", toy_folder / "labels.csv"
    for verb in (
        lambda: lv.fit(raw, labels, seed=seed, progress=False),
        lambda: lv.audit(raw, raw, labels, seed=seed, progress=False),
        lambda: lv.extract(toy_folder, tmp_path / "store", encoder="tiny", seed=seed, progress=False),
        lambda: lv.evaluate("action", raw, labels, seeds=[seed], progress=False),
        lambda: lv.tune(raw, labels, method="subspace", seed=seed, progress=False),
    ):
        with pytest.raises(InputError, match="seed"):
            verb()
    assert list(tmp_path.iterdir()) == []


def test_any_whole_number_may_be_the_secret_seed_of_noise():
    adapter = Adapter(dim=4, architecture="affine", noise_rank=2)
    adapter.noise_factor.fill_(1.0)
    for seed in (-1, 10**30):
        made = [adapter.transform(torch.ones(3, 4).numpy(), seed=seed) for _ in range(2)]
        assert (made[0] == made[1]).all()


@pytest.mark.parametrize("value", ["inf", "-inf", "nan"])
def test_infinite_settings_are_refused(value):
    with pytest.raises(InputError, match="noise must be a finite number"):
        load_config("veil", [f"erasure.noise={value}"], method=None)


@pytest.mark.parametrize("read", [Labels.read, read_segments])
def test_labels_from_a_device_that_never_ends_are_refused(read):
    with pytest.raises(InputError, match="got a device"):
        read("/dev/zero")


def test_labels_of_no_store_are_told(toy_folder, tmp_path):
    from latentveil.extraction.run import run_extraction

    (tmp_path / "a.mp4").write_text("no video")
    run_extraction([tmp_path / "a.mp4"], tmp_path / "empty", encoder="tiny")
    with pytest.raises(InputError, match="must hold videos"):
        lv.fit(tmp_path / "empty", toy_folder / "labels.csv", progress=False)


@pytest.mark.parametrize("content", [b"", b"garbage", b"PK\x03\x04" + bytes(100)])
def test_a_damaged_checkpoint_is_told_to_be_one(tmp_path, content):
    folder = RunFolder(tmp_path, settings={}, data="toy")
    folder.checkpoint.write_bytes(content)
    with pytest.raises(InputError, match=r"must be a whole checkpoint.*Delete it") as found:
        folder.next_epoch()
    assert "weights_only" not in str(found.value)  # torch advises to run what may be in it


@pytest.mark.parametrize("state", [[], {"settings": "{}"}, {"settings": "{}", "data": "toy", "epoch": 1}])
def test_a_checkpoint_of_something_else_is_told_to_be_damaged(tmp_path, state):
    folder = RunFolder(tmp_path, settings={}, data="toy")
    torch.save(state, folder.checkpoint)

    class Players:
        adapter = torch.nn.Linear(2, 2)

    with pytest.raises(InputError, match="must be a whole checkpoint"):
        folder.restore(Players())


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    folder = tmp_path_factory.mktemp("adapter")
    Adapter(dim=8, architecture="attention", layers=1, heads=2).save(folder / "attention")
    Adapter(dim=8, architecture="codebook", directions=2, prototypes=4).save(folder / "codebook")
    return folder


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("attention", {"dim": 10**9}),
        ("attention", {"dim": "8"}),
        ("attention", {"noise_rank": 10**9}),
        ("attention", {"layers": 1_000_000}),
        ("attention", {"layers": 5}),
        ("attention", {"heads": 10**9}),
        ("attention", {"encoder": "x"}),
        ("attention", {"encoder": {"weights_sha256": "\ud800"}}),
        ("attention", {"recipe": {"seed": 10**400}}),
        ("attention", {"recipe": [1]}),
        ("attention", {"architecture": 3}),
        ("attention", {"noise_per": None}),
        ("codebook", {"prototypes": 10**9}),
        ("codebook", {"prototypes": 1 << 20}),
        ("codebook", {"directions": 10**9}),
        ("codebook", {"phases": -3}),
        ("codebook", {"window": 10**9 + 1}),
    ],
)
def test_an_edited_adapter_is_refused(saved, tmp_path, name, change):
    config = json.loads((saved / name / "config.json").read_text())
    (tmp_path / "model.safetensors").write_bytes((saved / name / "model.safetensors").read_bytes())
    (tmp_path / "config.json").write_text(json.dumps(config | change))
    with pytest.raises(InputError):
        load_adapter(tmp_path)


def test_a_config_that_is_nested_without_end_is_refused(saved, tmp_path):
    (tmp_path / "config.json").write_text("[" * 100_000)
    with pytest.raises(InputError, match="must be the settings of an adapter"):
        load_adapter(tmp_path)


@pytest.mark.parametrize("lost", [["README.md"], ["README.md", "config.json"]])
def test_a_fit_that_was_killed_while_it_saved_is_not_taken_for_an_adapter(toy_folder, tmp_path, lost):
    options = {"method": "leace", "progress": False}
    lv.fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", **options)
    whole = {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()}
    for name in lost:
        (tmp_path / "a" / name).unlink()
    (tmp_path / "a" / ".saving").touch()
    (tmp_path / "a" / f".config.json.{'0' * 32}.tmp").write_text("half")
    lv.fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", **options)
    assert {path.name: path.read_bytes() for path in (tmp_path / "a").iterdir()} == whole
    with pytest.raises(
        InputError, match="of the same inputs and settings, got one of others: method is 'leace' there"
    ):
        lv.fit(toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "a", **options | {"method": "pca"})
