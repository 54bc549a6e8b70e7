"""What an audit reads is read once, belongs together, and is described."""

import hashlib
from dataclasses import replace

import numpy as np
import pytest
import torch

import latentveil as lv
from latentveil.adapters.adapter import Adapter
from latentveil.adapters.apply import apply
from latentveil.adapters.forget import forget_key, is_forgotten
from latentveil.auditing.inputs import read_inputs
from latentveil.auditing.run import audit
from latentveil.errors import InputError
from latentveil.labels import Labels
from latentveil.store import FeatureStore, Manifest, StoreWriter


@pytest.fixture
def applied(toy_folder, toy, tmp_path):
    """The folders of an adapter with noise and of the store that it made."""
    adapter = Adapter(dim=toy.features.dim, architecture="affine", noise_rank=4)
    adapter.noise_factor.copy_(torch.eye(toy.features.dim)[:, :4])
    adapter.save_pretrained(tmp_path / "adapter")
    apply(tmp_path / "adapter", toy_folder / "raw", tmp_path / "safe")
    return tmp_path / "adapter", tmp_path / "safe"


def write_store(path, features, *, like, **changes):
    """A store that says nothing of its source, with the settings of the store ``like`` but for ``changes``."""
    manifest = FeatureStore(like).manifest
    encoder = replace(manifest.encoder, **changes)
    with StoreWriter(path, Manifest(encoder=encoder, sampling=manifest.sampling)) as writer:
        writer.write_shard(features)
        writer.finish()
    return path


def test_an_audit_loads_adapter_labels_and_stores_once(toy_folder, applied, tmp_path, monkeypatch):
    calls = []

    def counted(name, function):
        def call(*args, **options):
            calls.append(name)
            return function(*args, **options)

        return call

    monkeypatch.setattr(Adapter, "from_pretrained", counted("adapter", Adapter.from_pretrained))
    monkeypatch.setattr(Labels, "read", counted("labels", Labels.read))
    monkeypatch.setattr(FeatureStore, "read", counted("features", FeatureStore.read))
    monkeypatch.setattr(FeatureStore, "__init__", counted("store", FeatureStore.__init__))
    adapter, safe = applied
    audit(
        toy_folder / "raw",
        safe,
        toy_folder / "labels.csv",
        tmp_path / "audit",
        adapter=adapter,
        attacks=["lda"],
        progress=False,
    )
    assert sorted(calls) == ["adapter", "features", "features", "labels", "store", "store"]


def test_the_data_are_described(toy_folder, toy, applied, tmp_path):
    recording = np.where(np.arange(len(toy.labels.video)) % 2, "monday", "")
    video = toy.labels.video.copy().astype("<U20")
    video[:3] = ["x", "y", "z"]
    columns = toy.labels.columns | {"recording": recording}
    replace(toy.labels, video=video, columns=columns).write(tmp_path / "labels.csv")
    data = read_inputs(toy_folder / "raw", applied[1], labels=tmp_path / "labels.csv").data
    assert (data.videos, data.unlabelled_videos, data.labels_of_no_video) == (len(video) - 3, 3, 3)
    assert (data.people, data.recordings) == (len(set(toy.labels.person)), 1)
    assert data.labels == "labels.csv"
    manifest = (toy_folder / "raw" / "manifest.json").read_bytes()
    assert data.raw_sha256 == hashlib.sha256(manifest).hexdigest()
    assert data.anonymized_sha256 != data.raw_sha256
    assert len(data.date) == len("2026-01-02")
    unknown = read_inputs(toy_folder / "raw", applied[1], labels=toy_folder / "labels.csv").data
    assert unknown.recordings is None


def test_swapped_stores_are_refused(toy_folder, applied):
    with pytest.raises(InputError, match=r"made\. Give the raw store first and the anonymized one second"):
        read_inputs(applied[1], toy_folder / "raw", labels=toy_folder / "labels.csv")


def test_a_store_that_was_made_from_other_features_is_refused(toy_folder, toy, applied, tmp_path):
    """Same encoder, videos and clips, but not the features that the adapter was applied to."""
    moved = toy.features.with_feature(toy.features.feature + 1)
    write_store(tmp_path / "other", moved, like=toy_folder / "raw")
    with pytest.raises(InputError, match=r"must be made from .*other, got one made from other features"):
        read_inputs(tmp_path / "other", applied[1], labels=toy_folder / "labels.csv")


def test_a_store_of_another_encoder_is_refused(toy_folder, toy, tmp_path):
    write_store(tmp_path / "other", toy.features, like=toy_folder / "raw", weights_sha256="1" * 64)
    with pytest.raises(InputError, match="must be of the encoder 'toy'"):
        read_inputs(toy_folder / "raw", tmp_path / "other", labels=toy_folder / "labels.csv")


def test_a_store_that_was_moved_is_still_the_source(toy_folder, applied, tmp_path):
    (tmp_path / "moved").symlink_to(toy_folder / "raw")
    found = read_inputs(tmp_path / "moved", applied[1], labels=toy_folder / "labels.csv")
    assert found.made_by.name == "adapter"


def test_features_that_were_anonymized_twice_are_audited_against_the_first_time(
    toy_folder, toy, applied, tmp_path
):
    again = Adapter(dim=toy.features.dim, architecture="affine")
    again.save_pretrained(tmp_path / "again")
    apply(tmp_path / "again", applied[1], tmp_path / "twice")
    read_inputs(applied[1], tmp_path / "twice", labels=toy_folder / "labels.csv")


def test_once_the_key_is_destroyed_an_attacker_holds_what_is_left(toy_folder, tmp_path):
    raw, labels, folder = toy_folder / "raw", toy_folder / "labels.csv", tmp_path / "adapter"
    lv.fit(
        raw,
        labels,
        folder,
        groups="person",
        release=True,
        settings=["transport.components=4"],
        progress=False,
    )
    lv.apply(folder, raw, tmp_path / "safe", progress=False)
    before = read_inputs(raw, tmp_path / "safe", labels=labels, adapter=folder)
    forget_key(folder)
    after = read_inputs(raw, tmp_path / "safe", labels=labels, adapter=folder)
    assert is_forgotten(after.adapter)
    assert after.made_by == before.made_by
    assert "forgotten_key" not in {flag.flag for flag in before.flags}
    assert "forgotten_key" in {flag.flag for flag in after.flags}
    found = audit(
        raw,
        tmp_path / "safe",
        labels,
        adapter=folder,
        secrets="gender",
        kinds="temporal",
        attacks="informed",
        tasks=None,
        recipient=None,
        progress=False,
    )
    assert found.attacker.holds_adapter
    assert found.attacker.redrawn_copies > 0
    assert "its key is forgotten" in (folder / "README.md").read_text()
    assert "copy of the key can do more" in (folder / "README.md").read_text()
