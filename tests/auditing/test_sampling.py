"""Samples are as large as stated, the same for a seed, spread over videos or of whole people, and said."""

import json
from dataclasses import replace

import numpy as np
import pytest

import latentveil as lv
from latentveil.auditing import arena, measure, sampling
from latentveil.auditing.inputs import read_inputs
from latentveil.auditing.measure import AuditPlan, audit_features
from latentveil.auditing.sampling import sample_clips, sample_people, sample_videos
from latentveil.store import FeatureStore


def test_one_clip_of_every_video_comes_before_a_second_of_any():
    video = np.repeat(["a", "b", "c", "d"], [1, 50, 3, 20])
    rows = sample_clips(video, 10, seed=0)
    assert len(np.unique(rows)) == 10
    assert dict(zip(*np.unique(video[rows], return_counts=True))) == {"a": 1, "b": 3, "c": 3, "d": 3}
    np.testing.assert_array_equal(rows, sample_clips(video, 10, seed=0))
    assert not np.array_equal(rows, sample_clips(video, 10, seed=1))
    np.testing.assert_array_equal(sample_clips(video, 74, seed=0), np.arange(74))


def test_videos_of_nobody_take_no_place_among_people(toy):
    """They counted as one person, whose many videos could fill the sample."""
    person = np.where(toy.labels.person == "00", toy.labels.person, "")
    person[toy.labels.person == "01"] = "01"
    labels = replace(toy.labels, person=person)
    assert sample_people(labels, limit=24, seed=0) == (labels, [])
    for seed in range(4):
        chosen, [flag] = sample_people(labels, limit=20, seed=seed)
        assert sorted(np.unique(chosen.person, return_counts=True)[1].tolist()) == [8, 12]
        assert "20 of 24 videos, of 2 of 2 people" in flag.why


def test_whole_people_are_drawn_and_that_is_said(toy):
    chosen, [flag] = sample_people(toy.labels, limit=40, seed=0)
    assert len(chosen.video) == 40
    counts = np.unique(chosen.person, return_counts=True)[1]
    assert sorted(counts.tolist()) == [4, 12, 12, 12]  # the last one in part
    assert "40 of 96 videos, of 4 of 8 people, drawn with seed 0" in flag.why
    assert sample_people(toy.labels, limit=96, seed=0) == (toy.labels, [])
    assert sample_people(replace(toy.labels, person=None), limit=4, seed=0)[1] == []


def test_an_audit_of_too_many_clips_learns_from_so_many_and_says_so(toy, monkeypatch):
    seen = []
    for module in (arena, measure):
        monkeypatch.setattr(module, "MAX_TRAINING_CLIPS", 60)
    build = arena.AttackerKnowledge
    monkeypatch.setattr(
        arena, "AttackerKnowledge", lambda **parts: seen.append(len(parts["train"])) or build(**parts)
    )
    plan = AuditPlan(secrets=["gender"], kinds=["temporal"], attacks=["lda"], tasks=None)
    found = audit_features(toy.features, toy.features, toy.labels, plan)
    assert set(seen) == {60}
    [flag] = [flag for flag in found.flags if flag.flag == "attacks_on_a_sample"]
    assert "gender in temporal clips learned from" in flag.why
    assert found.secrets["gender"].num_videos == pytest.approx(24)  # every video is answered for


def test_a_store_that_is_too_large_is_read_in_part_and_that_is_said(toy_folder, toy, monkeypatch):
    store = FeatureStore(toy_folder / "raw")
    assert sample_videos(toy.labels, store, seed=0) == (toy.labels, [])
    monkeypatch.setattr(sampling, "MOST_BYTES", 4 * toy.features.dim * 120)  # room for 120 of 576 clips
    monkeypatch.setattr(sampling, "VIDEOS_IN_TURN", 6)
    chosen, [flag] = sample_videos(toy.labels, store, seed=0)
    assert sum(store.num_clips(video) for video in chosen.video) == 120
    counts = np.unique(chosen.person, return_counts=True)[1]
    assert sorted(counts.tolist()) == [2, 6, 6, 6]  # six of each of three people, and the rest of a fourth
    assert "20 of 96 videos (120 of 576 clips), of 4 of 8 people, were read, drawn with seed 0" in flag.why
    again, other = (sample_videos(toy.labels, store, seed=seed)[0] for seed in (0, 1))
    assert chosen.video.tolist() == again.video.tolist() != other.video.tolist()


def test_less_is_read_where_whoever_holds_the_adapter_draws_copies(toy_folder, toy, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_BYTES", 4 * toy.features.dim * 480)
    monkeypatch.setattr(sampling, "MOST_BYTES_IF_REDRAWN", 4 * toy.features.dim * 240)
    given = {"raw": toy_folder / "raw", "anonymized": toy_folder / "raw", "labels": toy.labels}
    noisy = lv.fit(toy.features, toy.labels, method="noise", progress=False)
    plain = lv.fit(toy.features, toy.labels, method="leace", progress=False)
    read = [len(read_inputs(**given, adapter=adapter).raw) for adapter in (None, plain, noisy)]
    assert read == [480, 480, 240]


def test_where_people_are_few_all_have_another_turn(toy_folder, toy, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_BYTES", 4 * toy.features.dim * 480)
    monkeypatch.setattr(sampling, "VIDEOS_IN_TURN", 6)
    chosen, _ = sample_videos(toy.labels, FeatureStore(toy_folder / "raw"), seed=0)
    counts = np.unique(chosen.person, return_counts=True)[1]
    assert len(counts) == 8
    assert counts.sum() == 80
    assert counts.min() >= 6


def test_an_audit_of_a_sample_says_so_on_its_page_and_in_its_file(toy_folder, toy, tmp_path, monkeypatch):
    monkeypatch.setattr(sampling, "MOST_BYTES", 4 * toy.features.dim * 400)
    monkeypatch.setattr(sampling, "VIDEOS_IN_TURN", 6)
    raw = toy_folder / "raw"
    options = {"attacks": ["lda"], "secrets": ["gender"], "tasks": None, "recipient": None, "progress": False}
    found = lv.audit(raw, raw, toy.labels, tmp_path / "report", **options)
    [flag] = [flag for flag in found.flags if flag.flag == "audit_of_a_sample"]
    assert found.data.clips <= 400
    assert flag.to_dict() in json.loads((tmp_path / "report" / "audit.json").read_text())["flags"]
    assert "66 of 96 videos" in (tmp_path / "report" / "report.html").read_text()
